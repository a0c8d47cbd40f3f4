#include "json/internal/decimal.h"

#include <fmt/format.h>

#include <algorithm>

namespace hearth::json::internal {
namespace {

constexpr int64_t kFarPower = 1'000'000'000'000'000'000;

bool TakeSign(std::string_view& rest) {
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative || (!rest.empty() && rest.front() == '+')) {
    rest.remove_prefix(1);
  }
  return negative;
}

int64_t ParsePower(std::string_view text) {
  const bool negative = TakeSign(text);
  int64_t power = 0;
  for (const char digit : text) {
    power = power >= kFarPower / 10 ? kFarPower : power * 10 + (digit - '0');
  }
  return negative ? -power : power;
}

// Digits with the point moved to its place: "12" at power -3 is 0.012, at power 2 is 1200.
std::string Plain(std::string_view digits, int64_t power) {
  if (power >= 0) {
    return fmt::format("{}{}", digits, std::string(static_cast<size_t>(power), '0'));
  }
  const auto behind = static_cast<size_t>(-power);
  if (behind < digits.size()) {
    const size_t before = digits.size() - behind;
    return fmt::format("{}.{}", digits.substr(0, before), digits.substr(before));
  }
  return fmt::format("0.{}{}", std::string(behind - digits.size(), '0'), digits);
}

std::string Scientific(std::string_view digits, int64_t exponent) {
  const std::string_view rest = digits.substr(1);
  return fmt::format("{}{}{}e{:+}", digits.substr(0, 1), rest.empty() ? "" : ".", rest, exponent);
}

bool IsInteger(std::string_view token) { return token.find_first_of(".eE") == token.npos; }

}  // namespace

Decimal Decimal::Parse(std::string_view token) {
  Decimal decimal;
  decimal.negative = TakeSign(token);
  const size_t mark = token.find_first_of("eE");
  if (mark != token.npos) {
    decimal.power = ParsePower(token.substr(mark + 1));
    token = token.substr(0, mark);
  }
  const size_t point = token.find('.');
  decimal.digits = token.substr(0, point);
  if (point != token.npos) {
    decimal.digits += token.substr(point + 1);
    decimal.power -= static_cast<int64_t>(token.size() - point - 1);
  }
  const size_t last = decimal.digits.find_last_not_of('0');
  if (last == decimal.digits.npos) {
    return {};
  }
  decimal.power += static_cast<int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.resize(last + 1);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

std::string Decimal::ToToken() const {
  if (digits.empty()) {
    return "0";
  }
  const int64_t exponent = power + static_cast<int64_t>(digits.size()) - 1;
  const bool plain = exponent >= -6 && exponent < 21;
  return fmt::format("{}{}", negative ? "-" : "",
                     plain ? Plain(digits, power) : Scientific(digits, exponent));
}

bool SameNumber(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const auto is_plain = [](std::string_view token) { return IsInteger(token) && token != "-0"; };
  if (is_plain(a) && is_plain(b)) {
    return false;
  }
  return Decimal::Parse(a) == Decimal::Parse(b);
}

}  // namespace hearth::json::internal
