#include "base/duration.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace hearth {
namespace {

struct Unit {
  std::string_view name;
  uint64_t nanos;
};
// A name that begins with another comes first.
constexpr Unit kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},  // U+00B5, the micro sign
    {"\xCE\xBCs", 1'000},  // U+03BC, the letter mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
};
constexpr std::string_view kDigits = "0123456789";
// The magnitude of the most negative duration, which is one more than that of the most positive.
constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63;

std::string_view TakeDigits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of(kDigits));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<uint64_t> ToInteger(std::string_view digits) {
  uint64_t value = 0;
  for (char digit : digits) {
    const auto next = static_cast<uint64_t>(digit - '0');
    if (value > (kMaxMagnitude - next) / 10) {
      return std::nullopt;
    }
    value = value * 10 + next;
  }
  return value;
}

// The nanoseconds in "0.<digits>" of a unit, in floating point as Go does it. Digits beyond what 63
// bits hold are left out.
uint64_t Fraction(std::string_view digits, uint64_t unit) {
  uint64_t value = 0;
  double scale = 1;
  for (char digit : digits) {
    const auto next = static_cast<uint64_t>(digit - '0');
    if (value > (kMaxMagnitude - next) / 10) {
      break;
    }
    value = value * 10 + next;
    scale *= 10;
  }
  return static_cast<uint64_t>(static_cast<double>(value) * (static_cast<double>(unit) / scale));
}

std::optional<uint64_t> TakeUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (text.starts_with(unit.name)) {
      text.remove_prefix(unit.name.size());
      return unit.nanos;
    }
  }
  return std::nullopt;
}

struct Number {
  std::string_view whole;
  std::string_view fraction;
};

std::optional<Number> TakeNumber(std::string_view& text) {
  Number number{.whole = TakeDigits(text), .fraction = {}};
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = TakeDigits(text);
  }
  if (number.whole.empty() && number.fraction.empty()) {
    return std::nullopt;
  }
  return number;
}

std::optional<uint64_t> Scaled(const Number& number, uint64_t unit) {
  const std::optional<uint64_t> whole = ToInteger(number.whole);
  if (!whole || *whole > kMaxMagnitude / unit) {
    return std::nullopt;
  }
  const uint64_t nanos = *whole * unit + Fraction(number.fraction, unit);
  return nanos <= kMaxMagnitude ? std::optional(nanos) : std::nullopt;
}

// One number and its unit, from the front of `text`; the reason when there is none.
std::pair<uint64_t, std::string_view> TakePart(std::string_view& text) {
  const std::optional<Number> number = TakeNumber(text);
  if (!number) {
    return {0, "a number is missing"};
  }
  const std::optional<uint64_t> unit = TakeUnit(text);
  if (!unit) {
    return {0, "a unit is missing; use ns, us, ms, s, m or h"};
  }
  const std::optional<uint64_t> nanos = Scaled(*number, *unit);
  return nanos ? std::pair{*nanos, std::string_view()}
               : std::pair{uint64_t{0}, std::string_view("too long")};
}

Status Bad(std::string_view text, std::string_view why) {
  return InvalidError("duration '" + Excerpt(text, 40) + "': " + std::string(why));
}

// "12.5" for 12500 thousandths, without trailing zeros.
std::string Decimal(uint64_t value, uint64_t unit) {
  std::string text = std::to_string(value / unit);
  std::string fraction = std::to_string(unit + value % unit).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

std::string FormatShort(uint64_t nanos) {
  if (nanos < 1'000) {
    return std::to_string(nanos) + "ns";
  }
  if (nanos < 1'000'000) {
    return Decimal(nanos, 1'000) + "\xC2\xB5s";
  }
  return Decimal(nanos, 1'000'000) + "ms";
}

std::string FormatLong(uint64_t nanos) {
  constexpr uint64_t kMinute = 60'000'000'000;
  const uint64_t minutes = nanos / kMinute;
  std::string text = Decimal(nanos % kMinute, 1'000'000'000) + "s";
  if (minutes > 0) {
    text = std::to_string(minutes % 60) + "m" + text;
  }
  return minutes >= 60 ? std::to_string(minutes / 60) + "h" + text : text;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  if (rest == "0") {
    return Duration::zero();
  }
  uint64_t total = 0;
  do {
    const auto [nanos, why] = TakePart(rest);
    if (!why.empty()) {
      return Bad(text, why);
    }
    total += nanos;  // both at most 2^63; their sum cannot wrap but to zero
    if (total > kMaxMagnitude || total < nanos) {
      return Bad(text, "too long");
    }
  } while (!rest.empty());
  if (total == kMaxMagnitude && !negative) {
    return Bad(text, "too long");
  }
  return Duration(static_cast<int64_t>(negative ? -total : total));
}

std::string FormatDuration(Duration duration) {
  if (duration == Duration::zero()) {
    return "0s";
  }
  const bool negative = duration < Duration::zero();
  // Negated as unsigned: the most negative duration has no positive counterpart.
  const auto count = static_cast<uint64_t>(duration.count());
  const uint64_t nanos = negative ? -count : count;
  const std::string text = nanos < 1'000'000'000 ? FormatShort(nanos) : FormatLong(nanos);
  return negative ? "-" + text : text;
}

}  // namespace hearth
