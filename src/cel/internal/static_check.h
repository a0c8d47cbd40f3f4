#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/internal/function.h"
#include "cel/internal/operators.h"
#include "cel/value.h"

namespace hearth::cel::internal {

using KnownKind = std::optional<Kind>;

// What an operator gives for operands of these kinds: its kind, nothing when that is not known, or
// false in `works` when it takes no such operands.
struct OperatorCheck {
  bool works = true;
  KnownKind kind;
};
OperatorCheck CheckUnary(Value (*operation)(const Value&), KnownKind operand);
OperatorCheck CheckBinary(BinaryOperator operation, KnownKind left, KnownKind right);

// Those that take that many arguments and may take these kinds.
std::vector<const Overload*> Applicable(const std::vector<const Overload*>& overloads,
                                        std::span<const KnownKind> kinds);

// "found no matching overload for 'f' applied to '(int, dyn)'".
std::string NoMatch(std::string_view function, std::span<const KnownKind> kinds);

// The type a name such as "int" or "google.protobuf.Duration" stands for; null when it is none.
const Value* FindType(std::string_view name);

}  // namespace hearth::cel::internal
