#pragma once

#include "json/value.h"

namespace hearth::json::internal {

// As json::Equal for trees: the same kinds and strings, numbers by value, members in any order.
bool SameValue(const Value& a, const Value& b);

// How many levels of arrays and objects: 0 for a scalar, 1 for {} and [].
int Depth(const Value& value);

}  // namespace hearth::json::internal
