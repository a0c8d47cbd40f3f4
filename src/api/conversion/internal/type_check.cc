#include "api/conversion/internal/type_check.h"

#include <re2/re2.h>

namespace hearth::api::conversion::internal {
namespace {

using json::Kind;
using schema::Schema;
using schema::Type;

const Schema* MemberSchema(const Schema& schema, std::string_view name) {
  const Schema* found = schema.Find(name);
  return found != nullptr ? found : schema.additional_properties.get();
}

// Null where the schema says nothing.
const Schema* SchemaAt(const Schema& root, const Steps& steps) {
  const Schema* at = &root;
  for (const std::string& step : steps) {
    at = at->type == Type::kArray ? at->items.get() : MemberSchema(*at, step);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return at;
}

// Exactly what the definitions take: a text that is stored must be carried over, also "1e1.5",
// which is no quantity. There is one pattern on int-or-string, that of quantities.
bool IsQuantityText(const std::string& text, const std::string& pattern) {
  static const std::string kPattern = pattern;
  static const RE2 kCompiled(kPattern, RE2::Quiet);
  return pattern == kPattern ? RE2::PartialMatch(text, kCompiled)
                             : RE2::PartialMatch(text, RE2(pattern, RE2::Quiet));
}

bool IsIntOrString(const json::Value& value, const Schema& schema) {
  if (value.kind() == Kind::kNumber) {
    return true;
  }
  return value.IsString() &&
         (schema.pattern.empty() || IsQuantityText(value.string(), schema.pattern));
}

bool IsInteger(const json::Value& value, const Schema& schema) {
  const auto number = value.Int();
  return number.has_value() &&
         (schema.format != "int32" || *number == static_cast<int32_t>(*number));
}

// What is wrong with a value by itself, without what it holds.
std::string_view Fault(const Tree& value, const Schema& schema) {
  if (schema.int_or_string) {
    const bool scalar = !value.IsObject() && !value.IsArray();
    return scalar && IsIntOrString(value.scalar(), schema) ? "" : "a quantity, number or string";
  }
  switch (schema.type) {
    case Type::kObject:
      return value.IsObject() ? "" : "an object";
    case Type::kArray:
      return value.IsArray() ? "" : "a list";
    case Type::kString:
      return value.IsString() ? "" : "a string";
    case Type::kBoolean:
      return value.kind() == Kind::kBool ? "" : "true or false";
    case Type::kNumber:
      return value.kind() == Kind::kNumber ? "" : "a number";
    case Type::kInteger:
      return value.kind() == Kind::kNumber && IsInteger(value.scalar(), schema) ? "" : "an integer";
    case Type::kNone:
      return "";
  }
  return "";
}

// What is wrong somewhere in a value, and where; the way there is told from its end.
struct Finding {
  std::string_view fault;
  json::Kind kind = Kind::kAbsent;
  std::string path;
};

bool Find(const Tree& value, const Schema& schema, Finding& finding);

bool FindBelow(const Tree& value, const Schema& schema, Finding& finding) {
  const bool in_list = value.IsArray();
  const size_t size = value.size();
  for (size_t i = 0; i < size; ++i) {
    const Schema* below = in_list ? schema.items.get() : MemberSchema(schema, value.name(i));
    if (below != nullptr && Find(value.at(i), *below, finding)) {
      finding.path.insert(
          0, in_list ? "[" + std::to_string(i) + "]" : "." + std::string(value.name(i)));
      return true;
    }
  }
  return false;
}

bool Find(const Tree& value, const Schema& schema, Finding& finding) {
  if (!value.Exists() || value.kind() == Kind::kNull) {
    return false;
  }
  finding.fault = Fault(value, schema);
  finding.kind = value.kind();
  return !finding.fault.empty() || FindBelow(value, schema, finding);
}

std::string Dotted(const Steps& steps, const std::string& root) {
  std::string path = root;
  for (const std::string& step : steps) {
    path += step.find('=') == std::string::npos ? "." + step : "[" + step + "]";
  }
  return path;
}

}  // namespace

std::string TypeError(const Edit& edit, const Schema& schema, const std::string& root) {
  const Schema* at = SchemaAt(schema, edit.at);
  Finding finding;
  if (at == nullptr || !Find(edit.value, *at, finding)) {
    return {};
  }
  return Dotted(edit.at, root) + finding.path + ": must be " + std::string(finding.fault) +
         ", not " + std::string(json::KindName(finding.kind));
}

}  // namespace hearth::api::conversion::internal
