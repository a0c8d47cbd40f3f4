// "%d of %s".format([1, "x"]), with the words and quirks of cel-go's string extension, version 2:
// doubles are written for the locale en_US.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/strings.h"
#include "cel/collections.h"
#include "cel/internal/function.h"
#include "cel/internal/meter.h"
#include "cel/internal/text.h"

namespace hearth::cel::internal {
namespace {

using Text = Result<std::string>;
constexpr int kDefaultPrecision = 6;
constexpr int kMaxPrecision = 1000;

Status Unfit(std::string_view rule, const Value& value) {
  return InvalidError(
      fmt::format("error during formatting: {}, was given {}", rule, value.type_name()));
}

Text Literal(const Value& value);

Text FormatList(const List& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size() && CountSteps(); ++i) {
    ASSIGN_OR_RETURN(const std::string item, Literal(list.at(i)));
    out.append(i == 0 ? "" : ", ").append(item);
  }
  return out + "]";
}

Text FormatMap(const Map& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Value& key : map.Keys()) {
    if (!CountSteps()) {
      break;
    }
    ASSIGN_OR_RETURN(std::string name, Literal(key));
    ASSIGN_OR_RETURN(std::string value, Literal(map.Find(key).value_or(Value())));
    entries.emplace_back(std::move(name), std::move(value));
  }
  std::sort(entries.begin(), entries.end());
  std::string out = "{";
  for (const auto& [name, value] : entries) {
    out.append(out.size() == 1 ? "" : ", ").append(name).append(":").append(value);
  }
  return out + "}";
}

Text FormatDouble(double value) {
  const bool finite = std::isfinite(value);
  return finite ? fmt::format("{:.{}f}", value, kDefaultPrecision) : Quoted(DoubleText(value));
}

// A value inside a list or map, as an expression would write it.
Text Literal(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return Quoted(value.text());
    case Kind::kBytes:
      return "b" + Quoted(value.text());
    case Kind::kDouble:
      return FormatDouble(value.real());
    case Kind::kDuration:
      return fmt::format("duration(\"{}\")", DurationText(value.duration()));
    case Kind::kTimestamp:
      return fmt::format("timestamp(\"{}\")", TimestampText(value.timestamp()));
    case Kind::kList:
      return FormatList(value.list());
    case Kind::kMap:
      return FormatMap(value.map());
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kType:
      return TextOf(value);
    default:
      return InvalidError(
          fmt::format("error during formatting: no formatting function for {}", value.type_name()));
  }
}

Text FormatString(const Value& value) {
  switch (value.kind()) {
    case Kind::kList:
      return FormatList(value.list());
    case Kind::kMap:
      return FormatMap(value.map());
    case Kind::kBytes:
      if (!ValidUtf8(value.text())) {
        return InvalidError("error during formatting: could not convert argument to string");
      }
      return TextOf(value);
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kDuration:
    case Kind::kTimestamp:
    case Kind::kType:
      return TextOf(value);
    default:
      return Unfit(
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps",
          value);
  }
}

Text FormatDecimal(const Value& value) {
  if (value.Is(Kind::kInt) || value.Is(Kind::kUint)) {
    return TextOf(value);
  }
  return Unfit("decimal clause can only be used on integers", value);
}

// A double, or a string that stands for one without digits.
std::optional<double> AsDouble(const Value& value) {
  if (value.Is(Kind::kDouble)) {
    return value.real();
  }
  const std::string_view text = value.Is(Kind::kString) ? value.text() : "";
  if (text == "NaN") {
    return std::nan("");
  }
  if (text == "Infinity" || text == "-Infinity") {
    return text.front() == '-' ? -HUGE_VAL : HUGE_VAL;
  }
  return std::nullopt;
}

std::string Special(double value) { return std::isnan(value) ? "NaN" : value < 0 ? "-∞" : "∞"; }

Text FormatFixed(const Value& value, int precision) {
  const auto number = AsDouble(value);
  if (!number.has_value()) {
    return Unfit("fixed-point clause can only be used on doubles", value);
  }
  if (!std::isfinite(*number)) {
    return Special(*number);
  }
  std::string text = fmt::format("{:.{}f}", *number, precision);
  const size_t first = text.front() == '-' ? 1 : 0;
  for (size_t end = std::min(text.find('.'), text.size()); end > first + 3; end -= 3) {
    text.insert(end - 3, ",");
  }
  return text;
}

Text FormatScientific(const Value& value) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const auto number = AsDouble(value);
  if (!number.has_value()) {
    return Unfit("scientific clause can only be used on doubles", value);
  }
  if (!std::isfinite(*number)) {
    return Special(*number);
  }
  const std::string text = fmt::format("{:.{}e}", *number, kDefaultPrecision);
  const size_t mark = text.find('e');
  std::string out = text.substr(0, mark) + "\u202f×\u202f10";
  for (const char c : text.substr(mark + 1)) {
    out += c == '-' ? "⁻" : c == '+' ? "" : kDigits[c - '0'];
  }
  return out;
}

Text FormatInteger(const Value& value, std::string_view sign_format, std::string_view rule) {
  if (value.Is(Kind::kInt)) {
    return fmt::format(fmt::runtime(sign_format), value.integer());
  }
  if (value.Is(Kind::kUint)) {
    return fmt::format(fmt::runtime(sign_format), value.unsigned_integer());
  }
  return Unfit(rule, value);
}

Text FormatHex(const Value& value, bool upper) {
  if (!value.Is(Kind::kString) && !value.Is(Kind::kBytes)) {
    return FormatInteger(value, upper ? "{:X}" : "{:x}",
                         "only integers, byte buffers, and strings can be formatted as hex");
  }
  std::string out;
  for (const char c : value.text()) {
    const auto byte = static_cast<unsigned char>(c);
    out += upper ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
  }
  return out;
}

Text FormatBinary(const Value& value) {
  if (value.Is(Kind::kBool)) {
    return value.boolean() ? "1" : "0";
  }
  return FormatInteger(value, "{:b}", "only integers and bools can be formatted as binary");
}

Text FormatVerb(char verb, const Value& value, int precision) {
  switch (verb) {
    case 's':
      return FormatString(value);
    case 'd':
      return FormatDecimal(value);
    case 'f':
      return FormatFixed(value, precision);
    case 'e':
      return FormatScientific(value);
    case 'b':
      return FormatBinary(value);
    case 'x':
    case 'X':
      return FormatHex(value, verb == 'X');
    case 'o':
      return FormatInteger(value, "{:o}", "octal clause can only be used on integers");
    default:
      return InvalidError(fmt::format(
          "could not parse formatting clause: unrecognized formatting clause \"{}\"", verb));
  }
}

// The digits after the dot of "%.3f"; moves `at` behind them.
Result<int> TakePrecision(std::string_view format, size_t& at) {
  if (format[at] != '.') {
    return kDefaultPrecision;
  }
  const size_t start = ++at;
  int precision = 0;
  while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
    precision = std::min(precision * 10 + (format[at++] - '0'), kMaxPrecision + 1);
  }
  if (at == format.size()) {
    return InvalidError(
        "could not parse formatting clause: error while parsing precision: could not find end of "
        "precision specifier");
  }
  if (at == start || precision > kMaxPrecision) {
    return InvalidError(
        "could not parse formatting clause: error while parsing precision: error while converting "
        "precision to integer");
  }
  return precision;
}

Text FormatAll(std::string_view format, const List& args) {
  std::string out;
  size_t used = 0;
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%' || format.substr(at, 2) == "%%") {
      out += format[at];
      at += format[at] == '%' ? 1 : 0;
      continue;
    }
    if (used >= args.size()) {
      return InvalidError(fmt::format("index {} out of range", used));
    }
    if (++at == format.size()) {
      return InvalidError("unexpected end of string");
    }
    ASSIGN_OR_RETURN(const int precision, TakePrecision(format, at));
    ASSIGN_OR_RETURN(const std::string text, FormatVerb(format[at], args.at(used++), precision));
    if (!CountSteps(1 + text.size() / 16)) {
      break;
    }
    out += text;
  }
  return out;
}

Value Format(const Call& call) {
  Text text = FormatAll(call[0].text(), call[1].list());
  return text.ok() ? Value::String(std::move(text).value())
                   : Value::Error(std::string(text.status().message()));
}

const Overload kFunctions[] = {
    {"format", Style::kMember, {Kind::kString, Kind::kList}, Format, CostRule::kText},
};

}  // namespace

Overloads FormatStringFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
