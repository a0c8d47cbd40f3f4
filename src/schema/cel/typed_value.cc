#include "schema/cel/typed_value.h"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cel/collections.h"
#include "cel/json_value.h"
#include "cel/property_name.h"
#include "schema/cel/internal/keyed_list.h"
#include "schema/cel/internal/resource_schema.h"
#include "schema/cel/internal/text_values.h"

namespace hearth::schema {
namespace {

// Declared properties; what else the value has does not exist for rules, but counts when compared.
class TypedObject : public cel::Object {
 public:
  TypedObject(const json::Value& value, const Schema& schema, bool is_resource)
      : value_(value), schema_(schema), is_resource_(is_resource) {}

  Field Has(std::string_view name) const override {
    const auto property = cel::UnescapePropertyName(name);
    if (!property || Declared(*property) == nullptr) {
      return Field::kUndeclared;
    }
    return value_.Find(*property) != nullptr ? Field::kSet : Field::kUnset;
  }
  std::optional<cel::Value> Find(std::string_view name) const override {
    const auto property = cel::UnescapePropertyName(name);
    return property ? Member(*property) : std::nullopt;
  }
  size_t size() const override { return value_.members().size(); }
  bool Equals(const cel::Object& other) const override {
    const auto* typed = dynamic_cast<const TypedObject*>(&other);
    if (typed == nullptr || typed->size() != size()) {
      return false;
    }
    for (const auto& [name, member] : value_.members()) {
      const auto mine = Member(name);
      const auto theirs = typed->Member(name);
      if (mine && (!theirs || !cel::Equal(*mine, *theirs))) {
        return false;
      }
    }
    return true;
  }

 private:
  const Schema* Declared(std::string_view property) const {
    const Schema* declared = schema_.Find(property);
    if (is_resource_ && (declared == nullptr || property == "metadata")) {
      const Schema* known = internal::ResourceProperty(property);
      return known != nullptr ? known : declared;
    }
    return declared;
  }
  std::optional<cel::Value> Member(std::string_view property) const {
    const Schema* declared = Declared(property);
    const json::Value* member = declared != nullptr ? value_.Find(property) : nullptr;
    return member != nullptr ? std::optional(ToCel(*member, *declared)) : std::nullopt;
  }

  const json::Value& value_;
  const Schema& schema_;
  bool is_resource_;
};

class TypedMap : public cel::Map {
 public:
  TypedMap(const json::Value& value, const Schema& values) : value_(value), values_(values) {}

  size_t size() const override { return value_.members().size(); }
  std::optional<cel::Value> Find(const cel::Value& key) const override {
    const json::Value* found = key.Is(cel::Kind::kString) ? value_.Find(key.text()) : nullptr;
    return found != nullptr ? std::optional(ToCel(*found, values_)) : std::nullopt;
  }
  std::vector<cel::Value> Keys() const override {
    std::vector<cel::Value> keys;
    keys.reserve(size());
    for (const auto& member : value_.members()) {
      keys.push_back(cel::Value::BorrowedString(member.first));
    }
    return keys;
  }

 private:
  const json::Value& value_;
  const Schema& values_;
};

std::optional<double> Real(const json::Value& value) {
  const std::string& token = value.number();
  double real = 0;
  const auto done = std::from_chars(token.data(), token.data() + token.size(), real);
  return done.ec == std::errc() ? std::optional(real) : std::nullopt;
}

cel::Value NumberValue(const json::Value& value, const Schema& schema) {
  const auto integer = value.Int();
  if (!integer && schema.type == Type::kInteger) {  // 1.0 is one for the schema only
    return cel::Value::Error("invalid data, expected int, got float64");
  }
  if (!integer && schema.int_or_string) {
    return cel::Value::Error(
        "invalid data, expected XIntOrString value to be either a string or integer");
  }
  if (schema.type == Type::kNumber || !integer) {
    const auto real = Real(value);
    return real ? cel::Value::Double(*real) : cel::Value::Error("number out of range");
  }
  return cel::Value::Int(*integer);
}

cel::Value ObjectValue(const json::Value& value, const Schema& schema, bool is_resource) {
  if (schema.additional_properties != nullptr) {
    return cel::Value::OfMap(std::make_shared<TypedMap>(value, *schema.additional_properties));
  }
  return cel::Value::OfObject(
      std::make_shared<TypedObject>(value, schema, is_resource || schema.embedded_resource));
}

}  // namespace

cel::Value ToCel(const json::Value& value, const Schema& schema, bool is_resource) {
  switch (value.kind()) {
    case json::Kind::kObject:
      return ObjectValue(value, schema, is_resource);
    case json::Kind::kArray:
      return schema.items != nullptr ? internal::ListValue(value, schema) : cel::FromJson(value);
    case json::Kind::kNumber:
      return NumberValue(value, schema);
    case json::Kind::kString:
      return internal::TextValue(value.string(), schema.format);
    case json::Kind::kBool:
      return cel::Value::Bool(value.boolean());
    default:
      return cel::Value::Null();
  }
}

}  // namespace hearth::schema
