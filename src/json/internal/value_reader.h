#pragma once

#include <string_view>

#include "json/value.h"

namespace hearth::json::internal {

// Compact, valid JSON to a tree, each byte read once; empty text gives null.
Value ReadValue(std::string_view trusted);

}  // namespace hearth::json::internal
