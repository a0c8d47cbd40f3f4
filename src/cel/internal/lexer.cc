#include "cel/internal/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "cel/internal/numbers.h"
#include "cel/internal/position.h"

namespace hearth::cel::internal {
namespace {

constexpr std::array<std::string_view, 6> kLongSymbols = {"==", "!=", "<=", ">=", "&&", "||"};
constexpr std::string_view kSymbols = "+-*/%<>!?:.,()[]{}";
constexpr uint64_t kMinIntMagnitude = uint64_t{1} << 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }
bool IsQuote(char c) { return c == '"' || c == '\''; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    for (SkipBlank(); at_ < text_.size(); SkipBlank()) {
      ASSIGN_OR_RETURN(Token token, Next());
      tokens.push_back(std::move(token));
    }
    tokens.push_back({.offset = text_.size()});
    return tokens;
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void SkipBlank() {
    while (at_ < text_.size()) {
      if (Peek() == '/' && Peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\n\r\f").find(Peek()) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  // Moves on to `end` and takes what was passed.
  Token Take(TokenKind kind, size_t end) {
    Token token{.kind = kind, .text = text_.substr(at_, end - at_), .offset = at_};
    at_ = end;
    return token;
  }

  Result<Token> Next() {
    if (const size_t quote = QuoteAfterPrefix(); quote != std::string_view::npos) {
      return Quoted(quote);
    }
    if (IsNameStart(Peek())) {
      return Name();
    }
    if (IsDigit(Peek()) || (Peek() == '.' && IsDigit(Peek(1)))) {
      return Number();
    }
    const std::string_view two = text_.substr(at_, 2);
    if (std::find(kLongSymbols.begin(), kLongSymbols.end(), two) != kLongSymbols.end()) {
      return Take(TokenKind::kSymbol, at_ + 2);
    }
    if (kSymbols.find(Peek()) != std::string_view::npos && Peek() != '\0') {
      return Take(TokenKind::kSymbol, at_ + 1);
    }
    return FailureAt(text_, at_,
                     fmt::format("syntax error: token recognition error at: '{}'",
                                 Excerpt(text_.substr(at_, 4), 4)));
  }

  // Where the opening quote of a literal stands, after r, b or both in any case.
  size_t QuoteAfterPrefix() const {
    size_t i = 0;
    while (i < 2 && std::string_view("rRbB").find(Peek(i)) != std::string_view::npos &&
           Peek(i) != '\0') {
      ++i;
    }
    const bool doubled = i == 2 && ((Peek(0) | 0x20) == (Peek(1) | 0x20));
    return IsQuote(Peek(i)) && !doubled ? at_ + i : std::string_view::npos;
  }

  Result<Token> Quoted(size_t quote) {
    const char mark = text_[quote];
    const bool triple = text_.substr(quote, 3) == std::string(3, mark);
    const bool raw = text_.substr(at_, quote - at_).find_first_of("rR") != std::string_view::npos;
    const size_t marks = triple ? 3 : 1;
    const std::string closing(marks, mark);
    size_t i = quote + marks;
    while (i < text_.size() && text_.substr(i, marks) != closing) {
      if (!triple && (text_[i] == '\n' || text_[i] == '\r')) {
        break;
      }
      i += text_[i] == '\\' && !raw ? 2 : 1;
    }
    if (i >= text_.size() || text_.substr(i, marks) != closing) {
      return FailureAt(text_, at_, "syntax error: string literal is not closed");
    }
    const size_t start = at_;
    Token token = Take(TokenKind::kLiteral, i + marks);
    auto value = ReadQuoted(token.text);
    if (!value.ok()) {
      return FailureAt(text_, start, value.status().message());
    }
    token.literal = std::move(value).value();
    return token;
  }

  Token Name() {
    size_t end = at_;
    while (end < text_.size() && IsNamePart(text_[end])) {
      ++end;
    }
    Token token = Take(TokenKind::kName, end);
    if (token.text == "in") {
      token.kind = TokenKind::kSymbol;
    } else if (token.text == "true" || token.text == "false") {
      token.kind = TokenKind::kLiteral;
      token.literal = Value::Bool(token.text == "true");
    } else if (token.text == "null") {
      token.kind = TokenKind::kLiteral;
    }
    return token;
  }

  size_t SkipDigits(size_t from) const {
    while (from < text_.size() && IsDigit(text_[from])) {
      ++from;
    }
    return from;
  }

  Result<Token> Number() {
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && IsHexDigit(Peek(2))) {
      size_t end = at_ + 2;
      while (end < text_.size() && IsHexDigit(text_[end])) {
        ++end;
      }
      return Integer(end, at_ + 2, 16);
    }
    size_t end = SkipDigits(at_);
    const size_t whole = end;
    if (end + 1 < text_.size() && text_[end] == '.' && IsDigit(text_[end + 1])) {
      end = SkipDigits(end + 1);
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      size_t digits = end + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) {
        ++digits;
      }
      if (digits < text_.size() && IsDigit(text_[digits])) {
        end = SkipDigits(digits);
      }
    }
    return end == whole ? Integer(end, at_, 10) : Double(end);
  }

  Result<Token> Integer(size_t end, size_t digits, int base) {
    uint64_t value = 0;
    const auto read = std::from_chars(text_.data() + digits, text_.data() + end, value, base);
    const bool is_unsigned = end < text_.size() && (text_[end] == 'u' || text_[end] == 'U');
    const size_t start = at_;
    Token token = Take(TokenKind::kLiteral, end + (is_unsigned ? 1 : 0));
    if (read.ec != std::errc() || (!is_unsigned && value > kMinIntMagnitude)) {
      return FailureAt(text_, start, is_unsigned ? "invalid uint literal" : "invalid int literal");
    }
    token.is_min_int_magnitude = !is_unsigned && value == kMinIntMagnitude;
    token.literal = is_unsigned ? Value::Uint(value) : Value::Int(static_cast<int64_t>(value));
    return token;
  }

  Result<Token> Double(size_t end) {
    const auto value = ReadDouble(text_.substr(at_, end - at_));
    if (!value.has_value()) {
      return FailureAt(text_, at_, "invalid double literal");
    }
    Token token = Take(TokenKind::kLiteral, end);
    token.literal = Value::Double(*value);
    return token;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view expression) {
  if (!ValidUtf8(expression)) {
    return InvalidError("1:1: syntax error: the expression is not UTF-8");
  }
  return Lexer(expression).Run();
}

}  // namespace hearth::cel::internal
