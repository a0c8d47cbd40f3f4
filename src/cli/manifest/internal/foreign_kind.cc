#include "cli/manifest/internal/foreign_kind.h"

#include <fmt/format.h>

#include "api/catalog/catalog.h"
#include "base/nearest_name.h"
#include "base/strings.h"
#include "cli/manifest/read.h"

namespace hearth::manifest::internal {
namespace {

using api::KindName;

std::string Versions(const KindName& kind) {
  std::vector<std::string> versions;
  for (const std::string_view version : kind.versions) {
    versions.push_back(std::string(kind.group) + "/" + std::string(version));
  }
  return Join(versions, " or ");
}

// Null when the product has no kind of this name.
const KindName* KindCalled(std::string_view name) {
  for (const KindName& kind : api::AllKinds()) {
    if (kind.kind == name) {
      return &kind;
    }
  }
  return nullptr;
}

std::string NearestKind(const ObjectReport& object) {
  std::vector<std::string> names;
  for (const KindName& kind : api::AllKinds()) {
    if (kind.group == GroupOf(object.api_version)) {
      names.emplace_back(kind.kind);
    }
  }
  return NearestName(object.kind, names);
}

}  // namespace

Finding JudgeForeignKind(const ObjectReport& object) {
  const std::string what = fmt::format("no kind \"{}\" in version \"{}\"",
                                       Excerpt(object.kind, 128), Excerpt(object.api_version, 128));
  if (const KindName* ours = KindCalled(object.kind)) {
    const bool same_group = ours->group == GroupOf(object.api_version);
    return {.severity = same_group ? Severity::kError : Severity::kNote,
            .path = "apiVersion",
            .type = same_group ? type::kUnknownVersion : type::kUnknownKind,
            .value = object.api_version,
            .message = fmt::format("{}; did you mean {}?", what, Versions(*ours))};
  }
  const std::string nearest = NearestKind(object);
  if (!nearest.empty()) {
    return {.path = "kind",
            .type = type::kUnknownKind,
            .value = object.kind,
            .message = fmt::format("{}; did you mean {}?", what, nearest)};
  }
  return {.severity = Severity::kNote,
          .path = "kind",
          .type = type::kUnknownKind,
          .value = object.kind,
          .message = fmt::format("skipped: {} {} is not a kind of this product",
                                 Excerpt(object.api_version, 128), Excerpt(object.kind, 128))};
}

}  // namespace hearth::manifest::internal
