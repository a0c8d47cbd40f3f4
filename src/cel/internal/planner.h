#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "cel/environment.h"
#include "cel/internal/expr.h"
#include "cel/internal/node.h"

namespace hearth::cel::internal {

// An expression ready to evaluate.
struct Plan {
  NodePtr root;
  size_t slots = 0;  // locals a frame must have
  std::optional<Kind> kind;
};

// Resolves names and functions of the tree and folds its constants. kInvalid with line:column for
// what cannot work whatever the variables hold.
Result<Plan> MakePlan(std::string_view expression, const Expr& tree,
                      const Environment& environment);

}  // namespace hearth::cel::internal
