#include <fmt/format.h>

#include "cli/manifest/check.h"
#include "cli/manifest/read.h"

namespace hearth::manifest {

AppliedObjects::Key AppliedObjects::KeyOf(const ObjectReport& object) {
  return {std::string(GroupOf(object.api_version)), object.kind, object.name_space, object.name};
}

Result<AppliedObjects> AppliedObjects::Read(std::string_view text, const std::string& name_space) {
  Manifest manifest = manifest::Read(text);
  for (const Finding& finding : manifest.findings) {
    if (finding.IsError()) {
      return InvalidError(
          fmt::format("{}:{}: {}", finding.at.line, finding.at.column, finding.message));
    }
  }
  AppliedObjects applied;
  for (json::YamlDocument& document : manifest.objects) {
    ObjectReport object = Identify(document);
    if (const api::CheckedKind* kind = api::FindKind(object.api_version, object.kind)) {
      object.name_space = LandsIn(*kind, object.name_space, name_space);
    }
    applied.objects_.insert_or_assign(KeyOf(object), std::move(document.value));
  }
  return applied;
}

const json::Value* AppliedObjects::Find(const ObjectReport& object) const {
  const auto found = objects_.find(KeyOf(object));
  return found == objects_.end() ? nullptr : &found->second;
}

}  // namespace hearth::manifest
