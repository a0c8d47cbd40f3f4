#include <fmt/format.h>

#include "schema/internal/go_text.h"
#include "schema/internal/number.h"
#include "schema/internal/value_checks.h"

namespace hearth::schema::internal {
namespace {

using json::Kind;
using json::Value;

// What a value is, in the words of a schema.
struct Actual {
  Type type = Type::kNone;
  std::string_view name;
  std::string_view format;
  bool whole = false;  // a float that passes for an integer
};

Actual Look(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
      return {Type::kBoolean, "boolean", ""};
    case Kind::kString:
      return {Type::kString, "string", ""};
    case Kind::kArray:
      return {Type::kArray, "array", ""};
    case Kind::kObject:
      return {Type::kObject, "object", ""};
    case Kind::kNumber: {
      const Number number = ReadNumber(value.number());
      return number.is_int ? Actual{Type::kInteger, "integer", "int64"}
                           : Actual{Type::kNumber, "number", "float64", IsJsonInteger(number.real)};
    }
    default:
      return {Type::kNone, "null", ""};
  }
}

std::string Expected(const Node& node) {
  return node.schema.int_or_string ? "integer,string"
                                   : ToJson(node.schema, false).Find("type")->string();
}

bool Wrong(std::string_view expected, std::string_view actual, const FieldPath& path,
           ErrorList& errors) {
  if (errors.Wants()) {
    errors.Add({ErrorType::kTypeInvalid, OpenApiPath(path), QuotedText(actual),
                fmt::format("{} in body must be of type {}: {}", path.ToDotted(), expected,
                            GoQuote(actual))});
  }
  return false;
}

}  // namespace

std::string OpenApiPath(const FieldPath& path) {
  std::string text = path.ToDotted();
  return text.empty() ? "<nil>" : text;
}

bool CheckType(const Node& node, const Value& value, const FieldPath& path, ErrorList& errors) {
  if (value.IsNull()) {
    return !node.HasType() || node.schema.nullable || Wrong(Expected(node), "null", path, errors);
  }
  const Actual actual = Look(value);
  const bool fits = node.Allows(actual.type) || (actual.whole && node.Allows(Type::kInteger)) ||
                    (actual.type == Type::kInteger && node.Allows(Type::kNumber));
  if (node.format != nullptr) {
    const bool may_have_format = value.IsString() || value.IsArray();
    if (!may_have_format && !fits) {
      return Wrong(node.schema.format, actual.format, path, errors);
    }
    // With a format the server does not look at the type of strings and of lists.
    if (may_have_format && !node.Allows(Type::kNumber) && !node.Allows(Type::kInteger)) {
      return true;
    }
  }
  return fits || Wrong(Expected(node), actual.name, path, errors);
}

}  // namespace hearth::schema::internal
