#pragma once

#include <string_view>

namespace hearth::json {

enum class Kind { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

std::string_view KindName(
    Kind kind);  // "absent", "null", "boolean", "number", "string", "array", "object"

}  // namespace hearth::json
