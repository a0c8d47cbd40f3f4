#pragma once

#include <string_view>

#include "base/result.h"
#include "cel/internal/expr.h"

namespace hearth::cel::internal {

// The expression's syntax tree. kInvalid with line:column; kExhausted when the tree would have more
// than `max_depth` levels, so whoever walks it may recurse.
Result<ExprPtr> Parse(std::string_view expression, int max_depth);

}  // namespace hearth::cel::internal
