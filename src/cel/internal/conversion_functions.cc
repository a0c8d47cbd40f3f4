#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "base/duration.h"
#include "base/strings.h"
#include "cel/internal/function.h"
#include "cel/internal/numbers.h"
#include "cel/internal/text.h"
#include "cel/internal/time_math.h"

namespace hearth::cel::internal {
namespace {

Value Same(const Call& call) { return call[0]; }

Value ConversionError(std::string_view to) {
  return Value::Error(fmt::format("type conversion error from 'string' to '{}'", to));
}

// The whole text as a number, an optional plus sign included.
template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

Value IntFromUint(const Call& call) {
  const uint64_t value = call[0].unsigned_integer();
  return value > uint64_t{std::numeric_limits<int64_t>::max()}
             ? Value::Error("integer overflow")
             : Value::Int(static_cast<int64_t>(value));
}

Value IntFromDouble(const Call& call) {
  const auto value = TruncateToInt(call[0].real());
  return value.has_value() ? Value::Int(*value) : Value::Error("integer overflow");
}

Value IntFromString(const Call& call) {
  int64_t value = 0;
  return ReadNumber(call[0].text(), value) ? Value::Int(value) : ConversionError("int");
}

Value IntFromTimestamp(const Call& call) { return Value::Int(call[0].timestamp().seconds); }
Value IntFromDuration(const Call& call) { return Value::Int(call[0].duration().count()); }

Value UintFromInt(const Call& call) {
  return call[0].integer() < 0 ? Value::Error("unsigned integer overflow")
                               : Value::Uint(static_cast<uint64_t>(call[0].integer()));
}

Value UintFromDouble(const Call& call) {
  const auto value = TruncateToUint(call[0].real());
  return value.has_value() && call[0].real() >= 0 ? Value::Uint(*value)
                                                  : Value::Error("unsigned integer overflow");
}

Value UintFromString(const Call& call) {
  uint64_t value = 0;
  const bool read = !call[0].text().starts_with('+') && ReadNumber(call[0].text(), value);
  return read ? Value::Uint(value) : ConversionError("uint");
}

Value DoubleFromInt(const Call& call) {
  return Value::Double(static_cast<double>(call[0].integer()));
}

Value DoubleFromUint(const Call& call) {
  return Value::Double(static_cast<double>(call[0].unsigned_integer()));
}

Value DoubleFromString(const Call& call) {
  std::string_view text = call[0].text();
  text.remove_prefix(text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const auto value = ReadDouble(text);
  return value.has_value() ? Value::Double(*value) : ConversionError("double");
}

Value StringFromBytes(const Call& call) {
  return ValidUtf8(call[0].text())
             ? Value::String(std::string(call[0].text()))
             : Value::Error("invalid UTF-8 in bytes, cannot convert to string");
}

Value StringFromScalar(const Call& call) { return Value::String(TextOf(call[0])); }
Value BytesFromString(const Call& call) { return Value::Bytes(std::string(call[0].text())); }

Value BoolFromString(const Call& call) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False"};
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == call[0].text()) {
      return Value::Bool(i < kWords.size() / 2);
    }
  }
  return ConversionError("bool");
}

Value DurationFromString(const Call& call) {
  const auto duration = ParseDuration(call[0].text());
  return duration.ok() ? Value::Duration(*duration) : ConversionError("google.protobuf.Duration");
}

Value DurationFromInt(const Call& call) {
  return Value::Duration(std::chrono::nanoseconds(call[0].integer()));
}

Value TimestampFromString(const Call& call) { return ParseTimestamp(call[0].text()); }
Value TimestampFromInt(const Call& call) { return TimestampFromSeconds(call[0].integer()); }

constexpr auto kGlobal = Style::kGlobal;
const Overload kFunctions[] = {
    {"int", kGlobal, {Kind::kInt}, Same},
    {"int", kGlobal, {Kind::kUint}, IntFromUint},
    {"int", kGlobal, {Kind::kDouble}, IntFromDouble},
    {"int", kGlobal, {Kind::kString}, IntFromString},
    {"int", kGlobal, {Kind::kTimestamp}, IntFromTimestamp},
    {"int", kGlobal, {Kind::kDuration}, IntFromDuration},
    {"uint", kGlobal, {Kind::kUint}, Same},
    {"uint", kGlobal, {Kind::kInt}, UintFromInt},
    {"uint", kGlobal, {Kind::kDouble}, UintFromDouble},
    {"uint", kGlobal, {Kind::kString}, UintFromString},
    {"double", kGlobal, {Kind::kDouble}, Same},
    {"double", kGlobal, {Kind::kInt}, DoubleFromInt},
    {"double", kGlobal, {Kind::kUint}, DoubleFromUint},
    {"double", kGlobal, {Kind::kString}, DoubleFromString},
    {"string", kGlobal, {Kind::kString}, Same},
    {"string", kGlobal, {Kind::kBytes}, StringFromBytes, CostRule::kText},
    {"string", kGlobal, {Kind::kBool}, StringFromScalar},
    {"string", kGlobal, {Kind::kInt}, StringFromScalar},
    {"string", kGlobal, {Kind::kUint}, StringFromScalar},
    {"string", kGlobal, {Kind::kDouble}, StringFromScalar},
    {"string", kGlobal, {Kind::kDuration}, StringFromScalar},
    {"string", kGlobal, {Kind::kTimestamp}, StringFromScalar},
    {"bytes", kGlobal, {Kind::kBytes}, Same},
    {"bytes", kGlobal, {Kind::kString}, BytesFromString, CostRule::kText},
    {"bool", kGlobal, {Kind::kBool}, Same},
    {"bool", kGlobal, {Kind::kString}, BoolFromString},
    {"duration", kGlobal, {Kind::kDuration}, Same},
    {"duration", kGlobal, {Kind::kString}, DurationFromString},
    {"duration", kGlobal, {Kind::kInt}, DurationFromInt},
    {"timestamp", kGlobal, {Kind::kTimestamp}, Same},
    {"timestamp", kGlobal, {Kind::kString}, TimestampFromString},
    {"timestamp", kGlobal, {Kind::kInt}, TimestampFromInt},
};

}  // namespace

Overloads ConversionFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
