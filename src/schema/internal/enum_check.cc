#include <algorithm>
#include <string>

#include "schema/internal/go_json.h"
#include "schema/internal/go_text.h"
#include "schema/internal/number.h"
#include "schema/internal/same.h"
#include "schema/internal/value_checks.h"

namespace hearth::schema::internal {
namespace {

using json::Kind;
using json::Value;

std::string Utf8(int64_t rune) {
  if (rune < 0 || rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) {
    rune = 0xFFFD;
  }
  const auto c = static_cast<uint32_t>(rune);
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    return {static_cast<char>(c)};
  }
  if (c < 0x800) {
    return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  }
  if (c < 0x10000) {
    return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

// The server converts the value to the type of the wanted one as Go does, and then compares: 1.5 is
// a 1, and the number 65 an "A". Null is never wanted.
bool Matches(const Value& value, const Value& wanted) {
  if (wanted.IsNull() || value.IsNull()) {
    return false;
  }
  if (value.kind() != Kind::kNumber) {
    return Same(value, wanted);
  }
  const Number number = ReadNumber(value.number());
  if (wanted.IsString()) {
    return number.is_int && wanted.string() == Utf8(number.integer);
  }
  if (wanted.kind() != Kind::kNumber) {
    return false;
  }
  const Number other = ReadNumber(wanted.number());
  if (other.is_int) {
    return (number.is_int ? number.integer : TruncateToInt(number.real)) == other.integer;
  }
  return number.real == other.real;
}

std::string Listed(const std::vector<Value>& values) {
  std::string text = "supported values: ";
  for (const Value& value : values) {
    text += (&value == &values.front() ? "" : ", ") +
            GoQuote(value.IsString() ? value.string() : GoJson(value));
  }
  return text;
}

}  // namespace

void CheckEnum(const Node& node, const Value& value, const FieldPath& path, ErrorList& errors) {
  const std::vector<Value>& values = node.schema.enumeration;
  if (values.empty() || std::any_of(values.begin(), values.end(),
                                    [&](const Value& wanted) { return Matches(value, wanted); })) {
    return;
  }
  if (errors.Wants()) {
    errors.Add({ErrorType::kNotSupported, OpenApiPath(path), ValueText(value), Listed(values)});
  }
}

}  // namespace hearth::schema::internal
