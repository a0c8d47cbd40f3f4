#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>

#include "base/duration.h"
#include "base/strings.h"
#include "schema/internal/format_checks.h"

namespace hearth::schema::internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<int> Digits(std::string_view text, size_t at, size_t count) {
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || !IsDigit(text[i])) {
      return std::nullopt;
    }
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

int DaysIn(int month, int year) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// hh:mm:ss, a fraction with any mark before it, and z or an offset.
bool IsTimeOfDay(std::string_view text) {
  const auto hour = Digits(text, 0, 2);
  const auto minute = Digits(text, 3, 2);
  const auto second = Digits(text, 6, 2);
  if (!hour || !minute || !second || text[2] != ':' || text[5] != ':') {
    return false;
  }
  if (*hour > 23 || *minute > 59 || *second > 59) {
    return false;
  }
  const auto zone = [](std::string_view rest) {
    return rest == "z" || (rest.size() == 6 && (rest[0] == '+' || rest[0] == '-') &&
                           Digits(rest, 1, 2) && rest[3] == ':' && Digits(rest, 4, 2));
  };
  std::string_view rest = text.substr(8);
  if (zone(rest)) {
    return true;
  }
  if (rest.size() < 2 || rest[0] == '\n' || !IsDigit(rest[1])) {
    return false;
  }
  rest.remove_prefix(1);
  const size_t end = rest.find_first_not_of("0123456789");
  return end != std::string_view::npos && zone(rest.substr(end));
}

// A unit that a person may write after a number: exact, or with a known beginning.
bool IsUnit(std::string_view text) {
  const std::string unit = Lower(text);
  for (const std::string_view exact :
       {"ns", "us", "\xC2\xB5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"}) {
    if (unit == exact) {
      return true;
    }
  }
  for (const std::string_view start :
       {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"}) {
    if (unit.starts_with(start)) {
      return true;
    }
  }
  return false;
}

// The end of the letters (and micro signs) that begin at `at`.
size_t WordEnd(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (IsLetter(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "\xC2\xB5") {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

bool FitsInt64(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.size() < 19 || (digits.size() == 19 && digits <= "9223372036854775807");
}

}  // namespace

bool IsDate(std::string_view text) {
  const auto year = Digits(text, 0, 4);
  const auto month = Digits(text, 5, 2);
  const auto day = Digits(text, 8, 2);
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && year && month && day &&
         *month >= 1 && *month <= 12 && *day >= 1 && *day <= DaysIn(*month, *year);
}

bool IsDateTime(std::string_view text) {
  const std::string lower = Lower(text);
  const auto parts = Split(lower, 't');
  return parts.size() >= 2 && IsDate(parts[0]) && IsTimeOfDay(parts[1]);
}

bool IsDuration(std::string_view text) {
  if (ParseDuration(text).ok()) {
    return true;
  }
  // Otherwise numbers with units anywhere in it, of which one has to be known.
  bool known = false;
  for (size_t at = 0; at < text.size();) {
    const size_t digits = text.find_first_of("0123456789", at);
    if (digits == std::string_view::npos) {
      break;
    }
    const size_t after = std::min(text.find_first_not_of("0123456789", digits), text.size());
    const size_t word = std::min(text.find_first_not_of(" \t\n\f\r", after), text.size());
    const size_t end = WordEnd(text, word);
    if (end > word) {
      if (!FitsInt64(text.substr(digits, after - digits))) {
        return false;
      }
      known = known || IsUnit(text.substr(word, end - word));
    }
    at = std::max(after, end);
  }
  return known;
}

}  // namespace hearth::schema::internal
