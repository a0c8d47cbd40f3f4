#pragma once

#include <optional>
#include <string_view>

#include "cel/internal/node.h"

namespace hearth::cel::internal {

// What a comprehension is made of. Variables live in the frame's slots from `slot` on: one of them,
// the element (or key); or two, the index (or key) and the element (or value).
struct Comprehension {
  NodePtr range;
  size_t slot = 0;
  bool two_variables = false;
  NodePtr filter;  // may be null
  NodePtr body;
  // What cel-go charges beside the parts: for the empty result to begin with, and for putting a
  // body's value into it.
  uint64_t start_cost = 0;
  uint64_t wrap_cost = 0;
  size_t offset = 0;
};

// By the macro's meaning, see macros.cc: all, exists, exists_one, map, filter, transformMap,
// transformMapEntry, sortBy, optMap, optFlatMap. Null for anything else.
NodePtr MakeMacro(std::string_view meaning, Comprehension parts);

}  // namespace hearth::cel::internal
