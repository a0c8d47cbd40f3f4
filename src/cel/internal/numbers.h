#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cel/value.h"

namespace hearth::cel::internal {

// The order of two numbers by value, whatever their types; unordered when one is NaN.
std::partial_ordering CompareNumbers(const Value& a, const Value& b);

// The same number as an int, or nothing when it is none or does not fit.
std::optional<int64_t> ExactInt(const Value& number);

// Cut towards zero; nothing when it does not fit.
std::optional<int64_t> TruncateToInt(double value);
std::optional<uint64_t> TruncateToUint(double value);

// The whole text as a double, "inf" and "nan" included; what is too small is zero. Nothing when it
// is no number or too large.
std::optional<double> ReadDouble(std::string_view text);

}  // namespace hearth::cel::internal
