#pragma once

#include <string_view>

#include "json/yaml_positions.h"

namespace hearth::json::internal {

// Where the nodes of `value` stand in `text`, which must be the JSON it was read from, with white
// space around it or not.
YamlPlace JsonPlaces(std::string_view text, const Value& value);

}  // namespace hearth::json::internal
