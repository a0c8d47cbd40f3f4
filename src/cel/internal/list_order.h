#pragma once

#include <vector>

#include "cel/value.h"

namespace hearth::cel::internal {

// The items in the order of their keys, of which there are as many; keys must be of one kind that
// has an order. An error value otherwise.
Value SortByKeys(std::vector<Value> items, const std::vector<Value>& keys);

}  // namespace hearth::cel::internal
