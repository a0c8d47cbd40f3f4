#pragma once

#include <cstdint>
#include <string_view>

namespace hearth::schema::internal {

// A JSON number as the API server holds it: an int64 when its token is a whole number that fits, a
// double otherwise. "1" and "1.0" are therefore not the same thing there, and not here.
struct Number {
  bool is_int = true;
  int64_t integer = 0;
  double real = 0;  // always set

  friend bool operator==(const Number& a, const Number& b) {
    return a.is_int == b.is_int && (a.is_int ? a.integer == b.integer : a.real == b.real);
  }
};

Number ReadNumber(std::string_view token);

// Whether the server takes a double for a whole number: between -2^53 and 2^53, whole or nearer to
// it than one part in a thousand million.
bool IsJsonInteger(double value);

// A double to an int64 as the server's machine does it: the fraction is cut off, and what does not
// fit becomes the smallest number.
int64_t TruncateToInt(double value);

}  // namespace hearth::schema::internal
