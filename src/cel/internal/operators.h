#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "cel/value.h"

namespace hearth::cel::internal {

using BinaryOperator = Value (*)(const Value&, const Value&);

// + - * / % and the comparisons, by their symbols; null for anything else. They give an error value
// for overflow, division by zero and operands they do not take; operands are no errors.
BinaryOperator FindBinaryOperator(std::string_view symbol);

// == != < <= > >= in; null for anything else.
BinaryOperator FindComparison(std::string_view symbol);

Value Negate(const Value& value);
Value Not(const Value& value);
Value In(const Value& item, const Value& container);

// The order of two values of one kind, or of two numbers; nothing when there is none.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b);

// a + b: numbers, strings, bytes, lists, durations and timestamps.
Value Add(const Value& a, const Value& b);

Value NoOverload(std::string_view symbol, const Value& a, const Value& b);

}  // namespace hearth::cel::internal
