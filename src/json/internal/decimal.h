#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::json::internal {

// A decimal number of any length taken apart: sign, digits without zeros at either end, and the
// power of ten of the last digit. Zero has no digits, no sign and power 0, so two numbers are equal
// exactly when their parts are.
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t power = 0;

  // `token` is a number as JSON has it; a sign "+", a bare point ("1.", ".5") and leading zeros are
  // taken too. An exponent that does not fit 18 digits is held at that.
  static Decimal Parse(std::string_view token);
  // The token JavaScript and Go would write: plain digits from 1e-6 up to below 1e21, else an
  // exponent. Never a useless zero.
  std::string ToToken() const;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// Whether two JSON number tokens are one value: 1, 1.0 and 10e-1 are.
bool SameNumber(std::string_view a, std::string_view b);

}  // namespace hearth::json::internal
