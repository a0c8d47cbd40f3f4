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

Finding Wrong(const char* path, const char* type, const std::string& value, std::string message) {
  return {.path = path, .type = type, .value = value, .message = std::move(message)};
}

Finding Unknown(const ObjectReport& object, bool strict, const char* path, std::string message) {
  Finding finding = Wrong(path, type::kUnknownKind, object.kind, std::move(message));
  if (!strict) {
    finding.severity = Severity::kNote;
    finding.message = "skipped: " + finding.message;
  }
  return finding;
}

}  // namespace

Finding JudgeForeignKind(const ObjectReport& object, bool strict) {
  const std::string what = fmt::format("no kind \"{}\" in version \"{}\"",
                                       Excerpt(object.kind, 128), Excerpt(object.api_version, 128));
  if (const KindName* ours = KindCalled(object.kind)) {
    std::string message = fmt::format("{}; did you mean {}?", what, Versions(*ours));
    return ours->group == GroupOf(object.api_version)
               ? Wrong("apiVersion", type::kUnknownVersion, object.api_version, std::move(message))
               : Unknown(object, strict, "apiVersion", std::move(message));
  }
  const std::string nearest = NearestKind(object);
  if (!nearest.empty()) {
    return Wrong("kind", type::kUnknownKind, object.kind,
                 fmt::format("{}; did you mean {}?", what, nearest));
  }
  return Unknown(object, strict, "kind",
                 fmt::format("{} {} is not a kind of this product",
                             Excerpt(object.api_version, 128), Excerpt(object.kind, 128)));
}

}  // namespace hearth::manifest::internal
