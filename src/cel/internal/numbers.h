#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "cel/value.h"

namespace hearth::cel::internal {

// The order of two numbers by value, whatever their types; unordered when one is NaN.
std::partial_ordering CompareNumbers(const Value& a, const Value& b);

// The same number as an int, or nothing when it is none or does not fit.
std::optional<int64_t> ExactInt(const Value& number);

// Cut towards zero; nothing when it does not fit.
std::optional<int64_t> TruncateToInt(double value);
std::optional<uint64_t> TruncateToUint(double value);

}  // namespace hearth::cel::internal
