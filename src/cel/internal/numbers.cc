#include "cel/internal/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace hearth::cel::internal {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;
using Wide = __int128;

// Every int and uint, exactly.
Wide Widen(const Value& number) {
  return number.Is(Kind::kInt) ? Wide{number.integer()} : Wide{number.unsigned_integer()};
}

std::partial_ordering CompareWithDouble(Wide a, double b) {
  if (std::isnan(b)) {
    return std::partial_ordering::unordered;
  }
  if (b >= kTwoTo64) {
    return std::partial_ordering::less;
  }
  if (b < -kTwoTo63) {
    return std::partial_ordering::greater;
  }
  const double whole = std::trunc(b);
  const auto order = a <=> static_cast<Wide>(whole);
  return std::is_neq(order) ? order : whole <=> b;
}

}  // namespace

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  if (a.Is(Kind::kDouble) && b.Is(Kind::kDouble)) {
    return a.real() <=> b.real();
  }
  if (b.Is(Kind::kDouble)) {
    return CompareWithDouble(Widen(a), b.real());
  }
  if (a.Is(Kind::kDouble)) {
    const auto order = CompareWithDouble(Widen(b), a.real());
    return std::is_lt(order)   ? std::partial_ordering::greater
           : std::is_gt(order) ? std::partial_ordering::less
                               : order;
  }
  return Widen(a) <=> Widen(b);
}

std::optional<int64_t> TruncateToInt(double value) {
  if (!(value >= -kTwoTo63 && value < kTwoTo63)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(value);
}

std::optional<uint64_t> TruncateToUint(double value) {
  if (!(value > -1.0 && value < kTwoTo64)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(value);
}

std::optional<int64_t> ExactInt(const Value& number) {
  switch (number.kind()) {
    case Kind::kInt:
      return number.integer();
    case Kind::kUint:
      if (number.unsigned_integer() > uint64_t{std::numeric_limits<int64_t>::max()}) {
        return std::nullopt;
      }
      return static_cast<int64_t>(number.unsigned_integer());
    case Kind::kDouble:
      if (std::trunc(number.real()) != number.real()) {
        return std::nullopt;
      }
      return TruncateToInt(number.real());
    default:
      return std::nullopt;
  }
}

std::optional<double> ReadDouble(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (read.ec == std::errc()) {
    return value;
  }
  // from_chars does not say at which end it is out of range.
  value = std::strtod(std::string(text).c_str(), nullptr);
  return std::isinf(value) ? std::nullopt : std::optional(value);
}

}  // namespace hearth::cel::internal
