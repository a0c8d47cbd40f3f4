#include "json/internal/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "json/internal/decimal.h"
#include "json/internal/number.h"

namespace hearth::json::internal {
namespace {

template <size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrues = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                     "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalses = {"n",     "N",     "no",  "No",  "NO", "false",
                                                      "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> kNotFinite = {".inf",  ".Inf",  ".INF",  "+.inf",
                                                         "+.Inf", "+.INF", "-.inf", "-.Inf",
                                                         "-.INF", ".nan",  ".NaN",  ".NAN"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Eats what matches from the front of a text; each step says whether there was something.
class Matcher {
 public:
  explicit Matcher(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool AnyOf(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == characters.npos) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  // How many digits were there, at most `limit` of them taken.
  size_t Digits(size_t limit = std::string_view::npos) {
    size_t count = 0;
    while (count < limit && count < rest_.size() && IsDigit(rest_[count])) {
      ++count;
    }
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

bool MayBeNumber(std::string_view text) {
  return !text.empty() && (IsDigit(text.front()) || text.find_first_of("+-.") == 0);
}

std::string WithoutUnderscores(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  return plain;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool IsFloat(std::string_view text) {
  Matcher match(text);
  match.AnyOf("+-");
  const size_t before = match.Digits();
  const bool point = match.AnyOf(".");
  const size_t after = point ? match.Digits() : 0;
  if (before + after == 0) {
    return false;
  }
  if (match.AnyOf("eE")) {
    match.AnyOf("+-");
    if (match.Digits() == 0) {
      return false;
    }
  }
  return match.AtEnd();
}

// Digits in a base other than ten, 0x1F, 0b101, 0o17 or 017; nothing when they are none or do not
// fit 64 bits.
std::optional<uint64_t> ParseBased(std::string_view digits) {
  if (digits.size() < 2 || digits.front() != '0') {
    return std::nullopt;
  }
  int base = 8;
  switch (digits[1]) {
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    case 'o':
    case 'O':
      break;
    default:
      digits = digits.substr(1);
      return ParseBased("0o" + std::string(digits));
  }
  uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data() + 2, end, number, base);
  const bool whole = read.ec == std::errc() && read.ptr == end;
  return whole ? std::optional(number) : std::nullopt;
}

// The JSON token of an integer without underscores; empty when it is none.
std::string IntToken(std::string_view text) {
  const bool negative = text.front() == '-';
  const std::string_view digits = text.substr(negative || text.front() == '+' ? 1 : 0);
  if (const std::optional<uint64_t> number = ParseBased(digits)) {
    const bool fits = !negative || *number <= uint64_t{1} << 63;
    return fits ? (negative && *number != 0 ? "-" : "") + std::to_string(*number) : "";
  }
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit)) {
    return "";
  }
  const size_t first = digits.find_first_not_of('0');
  if (first == digits.npos) {
    return "0";
  }
  return (negative ? "-" : "") + std::string(digits.substr(first));
}

YamlScalar ResolveNumber(std::string_view text) {
  const std::string plain = WithoutUnderscores(text);
  if (std::string token = IntToken(plain); !token.empty()) {
    return {YamlType::kInt, Value::Number{std::move(token)}};
  }
  if (std::string token = FloatToken(plain); !token.empty() && FitsDouble(token)) {
    return {YamlType::kFloat, Value::Number{std::move(token)}};
  }
  return {YamlType::kString, text};
}

// 0x1F, 0b1, 0o7 of any length, even of none but underscores.
bool LooksBased(std::string_view text) {
  Matcher match(text);
  match.AnyOf("+-");
  return match.AnyOf("0") && match.AnyOf("xXbBoO") && !match.AtEnd() &&
         match.rest().find_first_not_of("0123456789abcdefABCDEF_") == text.npos;
}

// 1:30, 190:20:30.15: numbers to the base of sixty.
bool LooksSexagesimal(std::string_view text) {
  Matcher match(text);
  match.AnyOf("+-");
  if (match.Digits() == 0 || !match.AnyOf(":")) {
    return false;
  }
  do {
    if (match.Digits(2) == 0) {
      return false;
    }
  } while (match.AnyOf(":"));
  if (match.AnyOf(".")) {
    match.Digits();
  }
  return match.AtEnd();
}

// 2026-11-15, with or without something behind a T or a blank.
bool LooksLikeTimestamp(std::string_view text) {
  Matcher match(text);
  const bool date = match.Digits(4) == 4 && match.AnyOf("-") && match.Digits(2) > 0 &&
                    match.AnyOf("-") && match.Digits(2) > 0;
  return date && (match.AtEnd() || match.AnyOf("Tt \t"));
}

}  // namespace

bool FitsDouble(std::string_view token) {
  if (TokenToDouble(token)) {
    return true;
  }
  // Too near to zero is still a number, zero.
  const Decimal decimal = Decimal::Parse(token);
  return decimal.power + static_cast<int64_t>(decimal.digits.size()) <= 0;
}

std::string FloatToken(std::string_view text) {
  return IsFloat(text) ? Decimal::Parse(text).ToToken() : "";
}

YamlScalar ResolvePlain(std::string_view text) {
  if (IsOneOf(kNulls, text)) {
    return {YamlType::kNull, Value()};
  }
  if (IsOneOf(kTrues, text)) {
    return {YamlType::kBool, true};
  }
  if (IsOneOf(kFalses, text)) {
    return {YamlType::kBool, false};
  }
  if (IsOneOf(kNotFinite, text)) {
    return {YamlType::kNotFinite, text};
  }
  if (text == "<<") {
    return {YamlType::kMerge, text};
  }
  return MayBeNumber(text) ? ResolveNumber(text) : YamlScalar{YamlType::kString, text};
}

bool IsStringEverywhere(std::string_view text) {
  if (ResolvePlain(text).type != YamlType::kString || text == "=") {
    return false;
  }
  if (!MayBeNumber(text)) {
    return true;
  }
  const std::string plain = WithoutUnderscores(text);
  return !IsFloat(plain) && !LooksBased(text) && !LooksSexagesimal(plain) &&
         !LooksLikeTimestamp(text);
}

}  // namespace hearth::json::internal
