#include "cel/internal/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "cel/internal/utf8.h"

namespace hearth::cel::internal {
namespace {

constexpr int kMinPlainExponent = -4;
constexpr int kMaxPlainExponent = 6;

std::string ToChars(double value, std::chars_format format) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return {buffer.data(), end.ptr};
}

// ".5" of 500,000,000; "" of none.
std::string Fraction(int64_t nanos) {
  if (nanos == 0) {
    return "";
  }
  std::string digits = fmt::format(".{:09}", nanos);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

void AppendQuoted(char32_t point, std::string& out) {
  static constexpr std::string_view kEscapes = "\"\"\\\\\aa\bb\ff\nn\rr\tt\vv";
  for (size_t i = 0; i < kEscapes.size(); i += 2) {
    if (static_cast<char32_t>(kEscapes[i]) == point) {
      out += '\\';
      out += kEscapes[i + 1];
      return;
    }
  }
  if (point < 0x20 || point == 0x7F) {
    out += fmt::format("\\x{:02x}", static_cast<uint32_t>(point));
  } else {
    AppendUtf8(point, out);
  }
}

}  // namespace

std::string DoubleText(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  std::string text = ToChars(value, std::chars_format::scientific);
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  const bool plain = exponent >= kMinPlainExponent && exponent < kMaxPlainExponent;
  return plain ? ToChars(value, std::chars_format::fixed) : text;
}

std::string DurationText(std::chrono::nanoseconds duration) {
  constexpr int64_t kNanos = 1'000'000'000;
  const int64_t count = duration.count();
  const std::string fraction = Fraction(std::abs(count % kNanos));
  const bool minus = count < 0 && count / kNanos == 0;
  return fmt::format("{}{}{}s", minus ? "-" : "", count / kNanos, fraction);
}

std::string TimestampText(Timestamp time) {
  using std::chrono::days;
  using std::chrono::seconds;
  const std::chrono::sys_seconds at{seconds(time.seconds)};
  const auto day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<seconds> clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     Fraction(time.nanos));
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char32_t point : Decode(text)) {
    AppendQuoted(point, out);
  }
  return out + '"';
}

std::string TextOf(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.boolean() ? "true" : "false";
    case Kind::kInt:
      return std::to_string(value.integer());
    case Kind::kUint:
      return std::to_string(value.unsigned_integer());
    case Kind::kDouble:
      return DoubleText(value.real());
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return std::string(value.text());
    case Kind::kDuration:
      return DurationText(value.duration());
    case Kind::kTimestamp:
      return TimestampText(value.timestamp());
    case Kind::kError:
      return value.error_message();
    default:
      return std::string(value.type_name());
  }
}

}  // namespace hearth::cel::internal
