#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace hearth::snapshot {

// Which containers of a pod are captured or restored into. They are always named; none is taken
// because it is the first or is called main.

// Of "engine-0, engine-1": blanks around names and around the whole are fine, a blank text is no
// names; an empty name or one that is there twice is an error.
Result<std::vector<std::string>> ParseTargets(std::string_view text);
// Blank names are left out.
std::string FormatTargets(const std::vector<std::string>& names);

// The names that the annotation of an object holds: at least `least`, at most `most` (0: any
// number). Errors name the annotation.
Result<std::vector<std::string>> TargetsOf(const json::Value& object, size_t least, size_t most);

// The container of a pod spec; null when there is none of the name. Init containers are not looked
// at.
json::Value* FindContainer(json::Value& pod_spec, std::string_view name);

// Keys of what is told about one target; an error when the name makes them longer than an
// annotation's key may be (33 characters are fine).
struct TargetKeys {
  std::string status;
  std::string container_id;
};
Result<TargetKeys> KeysOfTarget(std::string_view container);

}  // namespace hearth::snapshot
