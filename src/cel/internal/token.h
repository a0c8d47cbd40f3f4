#pragma once

#include <cstddef>
#include <string_view>

#include "cel/value.h"

namespace hearth::cel::internal {

enum class TokenKind {
  kEnd,
  kName,
  kLiteral,  // a number, string, bytes, true, false or null
  kSymbol,   // an operator or punctuation, or the word `in`
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written
  size_t offset = 0;
  Value literal;
  // Digits of an integer too large for an int: only "-9223372036854775808" makes use of them.
  bool is_min_int_magnitude = false;
};

}  // namespace hearth::cel::internal
