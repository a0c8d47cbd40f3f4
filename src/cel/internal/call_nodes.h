#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cel/internal/function.h"
#include "cel/internal/node.h"
#include "cel/internal/operators.h"
#include "cel/internal/regex.h"

namespace hearth::cel::internal {

// -a and !a.
NodePtr MakeUnary(Value (*operation)(const Value&), NodePtr operand, size_t offset);
// a op b, charged by what the operator is.
NodePtr MakeBinary(std::string_view symbol, NodePtr left, NodePtr right, size_t offset);
// a in [constants]: the list costs nothing.
NodePtr MakeFreeMembership(NodePtr item, Value list);
// f(args): the first of the overloads that takes what the arguments turn out to be. `regex` is for
// those that have a pattern, when it is constant.
NodePtr MakeCall(std::vector<const Overload*> overloads, NodePtrs args,
                 std::shared_ptr<const Regex> regex, size_t offset);

}  // namespace hearth::cel::internal
