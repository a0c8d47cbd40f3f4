#include "snapshot/protocol/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

// The part of an annotation's key behind the slash.
constexpr size_t kLongestName = 63;

Result<std::string> KeyOf(std::string_view prefix, std::string_view container) {
  std::string key = fmt::format("{}.{}", prefix, container);
  const size_t name = key.size() - key.find('/') - 1;
  if (name > kLongestName) {
    return InvalidError(fmt::format(
        "restore status annotation key {} is too long: the container's name may have {} characters "
        "at most",
        Excerpt(key, 100), kLongestName - (name - container.size())));
  }
  return key;
}

}  // namespace

Result<std::vector<std::string>> ParseTargets(std::string_view text) {
  std::vector<std::string> names;
  if (Trim(text).empty()) {
    return names;
  }
  for (const std::string_view piece : Split(text, ',')) {
    const std::string_view name = Trim(piece);
    if (name.empty()) {
      return InvalidError(fmt::format("'{}' has an empty container name", Excerpt(text, 200)));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return InvalidError(
          fmt::format("'{}' names container {} twice", Excerpt(text, 200), Excerpt(name, 100)));
    }
    names.emplace_back(name);
  }
  return names;
}

std::string FormatTargets(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const std::string_view trimmed = Trim(name);
    if (!trimmed.empty()) {
      text.append(text.empty() ? "" : ",").append(trimmed);
    }
  }
  return text;
}

Result<std::vector<std::string>> TargetsOf(const json::Value& object, size_t least, size_t most) {
  const json::Value* const annotations = object.FindPath("metadata.annotations");
  const json::Value* const text =
      annotations == nullptr ? nullptr : annotations->Find(kTargetsAnnotation);
  const std::string given = text == nullptr ? "" : text->StringOr("");
  if (Trim(given).empty() && least > 0) {
    return InvalidError(fmt::format(
        "annotation {} is missing or blank: it names the containers, separated by commas",
        kTargetsAnnotation));
  }
  auto names = ParseTargets(given);
  if (!names.ok()) {
    return names.status().WithContext(fmt::format("annotation {}", kTargetsAnnotation));
  }
  if (names->size() < least) {
    return InvalidError(fmt::format("annotation {} must list at least {} container(s), has {}",
                                    kTargetsAnnotation, least, names->size()));
  }
  if (most > 0 && names->size() > most) {
    return InvalidError(fmt::format("annotation {} must list at most {} container(s), has {}",
                                    kTargetsAnnotation, most, names->size()));
  }
  return names;
}

json::Value* FindContainer(json::Value& pod_spec, std::string_view name) {
  json::Value* const containers = pod_spec.Find("containers");
  if (containers == nullptr || !containers->IsArray()) {
    return nullptr;
  }
  for (json::Value& container : containers->items()) {
    const json::Value* const own = container.Find("name");
    if (own != nullptr && own->IsString() && own->string() == name) {
      return &container;
    }
  }
  return nullptr;
}

Result<TargetKeys> KeysOfTarget(std::string_view container) {
  TargetKeys keys;
  ASSIGN_OR_RETURN(keys.container_id, KeyOf(kRestoreContainerIdAnnotation, container));
  ASSIGN_OR_RETURN(keys.status, KeyOf(kRestoreStatusAnnotation, container));
  return keys;
}

}  // namespace hearth::snapshot
