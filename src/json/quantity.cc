#include "json/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/hash.h"
#include "base/strings.h"

namespace hearth::json {
namespace {

using Uint128 = unsigned __int128;

constexpr int64_t kNanosPerUnit = 1'000'000'000;
constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr int kNanoDigits = 9;
// Decimal values end at 1e29, far beyond anything real and safely inside 128 bits of nanos.
constexpr int kMaxDecimalDigits = 29 + kNanoDigits;
constexpr Uint128 kMaxBinary = Uint128{std::numeric_limits<int64_t>::max()} * kNanosPerUnit;
// An exponent beyond this has left every range; the exact number does not matter any more.
constexpr int64_t kFarExponent = 1'000'000'000;

struct Suffix {
  std::string_view text;
  int power;  // of ten or of two
};
constexpr std::array<Suffix, 10> kDecimalSuffixes = {{
    {"n", -9},
    {"u", -6},
    {"m", -3},
    {"", 0},
    {"k", 3},
    {"M", 6},
    {"G", 9},
    {"T", 12},
    {"P", 15},
    {"E", 18},
}};
constexpr std::array<Suffix, 6> kBinarySuffixes = {{
    {"Ki", 10},
    {"Mi", 20},
    {"Gi", 30},
    {"Ti", 40},
    {"Pi", 50},
    {"Ei", 60},
}};

template <size_t N>
const Suffix* FindSuffix(const std::array<Suffix, N>& suffixes, std::string_view text) {
  const auto* found = std::find_if(suffixes.begin(), suffixes.end(),
                                   [&](const Suffix& suffix) { return suffix.text == text; });
  return found == suffixes.end() ? nullptr : found;
}

constexpr __int128 PowerOfTen(int power) {
  __int128 value = 1;
  for (int i = 0; i < power; ++i) {
    value *= 10;
  }
  return value;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TakeDigits(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), IsDigit);
  const std::string_view digits = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

Status Malformed(std::string_view text, std::string_view why) {
  return InvalidError(
      fmt::format("\"{}\" is not a quantity: {}; write a number with an optional suffix, such as "
                  "500m, 2, 1.5Gi "
                  "or 1e3",
                  Excerpt(text, 64), why));
}

// A quantity's text taken apart: 1.50Ki is whole "1", fraction "50", suffix "Ki".
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

Result<Parts> TakeApart(std::string_view text) {
  Parts parts;
  std::string_view rest = text;
  if (rest.empty()) {
    return Malformed(text, "it is empty");
  }
  if (rest.front() == '+' || rest.front() == '-') {
    parts.negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  parts.whole = TakeDigits(rest);
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    parts.fraction = TakeDigits(rest);
  }
  if (parts.whole.empty() && parts.fraction.empty()) {
    return Malformed(text, "it has no digits");
  }
  parts.suffix = rest;
  return parts;
}

// "e3", "E-6": the power of ten, held within ±kFarExponent.
std::optional<int64_t> ParseExponent(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix.front() != 'e' && suffix.front() != 'E')) {
    return std::nullopt;
  }
  suffix.remove_prefix(1);
  const bool negative = suffix.front() == '-';
  if (negative || suffix.front() == '+') {
    suffix.remove_prefix(1);
  }
  const std::string_view digits = TakeDigits(suffix);
  if (digits.empty() || !suffix.empty()) {
    return std::nullopt;
  }
  int64_t power = 0;
  for (const char digit : digits) {
    power = std::min(kFarExponent, power * 10 + (digit - '0'));
  }
  return negative ? -power : power;
}

// Multiplies a number written in decimal digits, by hand as at school.
std::string TimesPowerOfTwo(std::string digits, int power) {
  Uint128 carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += Uint128(*digit - '0') << power;
    *digit = static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  std::string front;
  for (; carry != 0; carry /= 10) {
    front.push_back(static_cast<char>('0' + static_cast<int>(carry % 10)));
  }
  std::reverse(front.begin(), front.end());
  return front + digits;
}

// `digits` times ten to `power`, rounded up to a whole number, at most ten to kMaxDecimalDigits.
Uint128 RoundedUp(std::string_view digits, int64_t power) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) {
    return 0;
  }
  const int64_t length = static_cast<int64_t>(digits.size()) + power;
  if (length <= 0) {
    return 1;
  }
  const bool too_long = length > kMaxDecimalDigits;
  Uint128 value = too_long ? 1 : 0;
  const int64_t places = too_long ? kMaxDecimalDigits : length;
  for (int64_t i = 0; i < places; ++i) {
    const bool given = !too_long && i < static_cast<int64_t>(digits.size());
    value = value * 10 + (given ? digits[static_cast<size_t>(i)] - '0' : 0);
  }
  const bool cut = !too_long && length < static_cast<int64_t>(digits.size()) &&
                   digits.find_first_not_of('0', static_cast<size_t>(length)) != digits.npos;
  return cut ? value + 1 : value;
}

// Divides rounding away from zero, as Kubernetes does, and saturates.
int64_t DivideUp(__int128 nanos, int64_t divisor) {
  __int128 quotient = nanos / divisor;
  if (nanos % divisor != 0) {
    quotient += nanos < 0 ? -1 : 1;
  }
  constexpr __int128 kMin = std::numeric_limits<int64_t>::min();
  constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(quotient, kMin, kMax));
}

// Takes the factor out of `number` as often as it goes in without a rest, at most `limit` times.
int TakeFactors(__int128& number, int factor, int limit) {
  int times = 0;
  while (times < limit && number % factor == 0) {
    number /= factor;
    ++times;
  }
  return times;
}

std::string WriteBinary(__int128 units) {
  const int times = TakeFactors(units, 1024, static_cast<int>(kBinarySuffixes.size()));
  return fmt::format("{}{}", units, times == 0 ? "" : kBinarySuffixes[times - 1].text);
}

std::string WriteDecimal(__int128 nanos) {
  const int times = TakeFactors(nanos, 1000, static_cast<int>(kDecimalSuffixes.size()) - 1);
  return fmt::format("{}{}", nanos, kDecimalSuffixes[times].text);
}

std::string WriteExponent(__int128 nanos) {
  const int power = 3 * TakeFactors(nanos, 1000, kMaxDecimalDigits) - kNanoDigits;
  return power == 0 ? fmt::format("{}", nanos) : fmt::format("{}e{}", nanos, power);
}

}  // namespace

Result<Quantity> Quantity::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const Parts parts, TakeApart(text));
  std::string digits = fmt::format("{}{}", parts.whole, parts.fraction);
  int64_t power = kNanoDigits - static_cast<int64_t>(parts.fraction.size());
  Quantity quantity;
  if (const Suffix* decimal = FindSuffix(kDecimalSuffixes, parts.suffix)) {
    power += decimal->power;
  } else if (const Suffix* binary = FindSuffix(kBinarySuffixes, parts.suffix)) {
    digits = TimesPowerOfTwo(std::move(digits), binary->power);
    quantity.format_ = Format::kBinarySI;
  } else if (const std::optional<int64_t> exponent = ParseExponent(parts.suffix)) {
    power += *exponent;
    quantity.format_ = Format::kDecimalExponent;
  } else {
    return Malformed(text, fmt::format("\"{}\" is not a suffix", Excerpt(parts.suffix, 32)));
  }
  Uint128 nanos = RoundedUp(digits, power);
  if (quantity.format_ == Format::kBinarySI) {
    nanos = std::min(nanos, kMaxBinary);
  }
  quantity.nanos_ = parts.negative ? -static_cast<__int128>(nanos) : static_cast<__int128>(nanos);
  return quantity;
}

Quantity Quantity::FromInt(int64_t value) {
  Quantity quantity;
  quantity.nanos_ = static_cast<__int128>(value) * kNanosPerUnit;
  return quantity;
}

std::string Quantity::ToString() const {
  if (nanos_ == 0) {
    return "0";
  }
  constexpr __int128 kSmallestKi = static_cast<__int128>(1024) * kNanosPerUnit;
  switch (format_) {
    case Format::kDecimalExponent:
      return WriteExponent(nanos_);
    case Format::kBinarySI:
      // Small and fractional values have no exact binary form.
      if ((nanos_ >= kSmallestKi || nanos_ <= -kSmallestKi) && nanos_ % kNanosPerUnit == 0) {
        return WriteBinary(nanos_ / kNanosPerUnit);
      }
      break;
    case Format::kDecimalSI:
      break;
  }
  return WriteDecimal(nanos_);
}

int64_t Quantity::Value() const { return DivideUp(nanos_, kNanosPerUnit); }
int64_t Quantity::MilliValue() const { return DivideUp(nanos_, kNanosPerMilli); }

std::optional<int64_t> Quantity::ToInt() const {
  const int64_t value = Value();
  return nanos_ == __int128{value} * kNanosPerUnit ? std::optional(value) : std::nullopt;
}

double Quantity::ToDouble() const {
  // The whole and the rest apart: a double holds neither all nanos nor a rounded tenth of them.
  const auto whole = static_cast<double>(nanos_ / kNanosPerUnit);
  const auto rest = static_cast<double>(static_cast<int64_t>(nanos_ % kNanosPerUnit));
  return whole + rest / kNanosPerUnit;
}

Quantity operator+(const Quantity& a, const Quantity& b) {
  constexpr __int128 kMax = PowerOfTen(kMaxDecimalDigits);
  Quantity sum;
  sum.format_ = a.nanos_ == 0 ? b.format_ : a.format_;
  // Two values of up to 1e38 nanos do not fit into 128 bits together.
  const __int128 room = b.nanos_ > 0 ? kMax - b.nanos_ : -kMax - b.nanos_;
  const bool over = b.nanos_ > 0 ? a.nanos_ > room : a.nanos_ < room;
  sum.nanos_ = over ? (b.nanos_ > 0 ? kMax : -kMax) : a.nanos_ + b.nanos_;
  return sum;
}

Quantity operator-(const Quantity& a, const Quantity& b) {
  Quantity negated = b;
  negated.nanos_ = -b.nanos_;
  return a + negated;
}

uint64_t Quantity::Hash() const {
  return HashBytes({reinterpret_cast<const char*>(&nanos_), sizeof(nanos_)});
}

std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
  return a.nanos_ <=> b.nanos_;
}
bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }

}  // namespace hearth::json
