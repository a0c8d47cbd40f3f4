#include "schema/internal/number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace hearth::schema::internal {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kMaxJsonInteger = 9007199254740991.0;  // 2^53 - 1
constexpr double kNearlyWhole = 1e-9;

}  // namespace

Number ReadNumber(std::string_view token) {
  Number number;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number.integer);
  if (error == std::errc() && stop == end) {
    number.real = static_cast<double>(number.integer);
    return number;
  }
  number.is_int = false;
  number.integer = 0;
  number.real = std::strtod(std::string(token).c_str(), nullptr);
  return number;
}

bool IsJsonInteger(double value) {
  if (!(value >= -kMaxJsonInteger && value <= kMaxJsonInteger)) {
    return false;
  }
  const double whole = std::trunc(value);
  if (value == whole) {
    return true;
  }
  if (value < 0 || whole == 0) {
    return false;
  }
  return (value - whole) / (value + whole) < kNearlyWhole;
}

int64_t TruncateToInt(double value) {
  if (!(value >= -kTwoTo63 && value < kTwoTo63)) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(value);
}

}  // namespace hearth::schema::internal
