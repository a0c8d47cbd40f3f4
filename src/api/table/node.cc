#include "api/table/node.h"

#include "api/core/kube_types.h"

namespace hearth::api {
namespace {

Node OfType(schema::Type type, std::string_view format = "") {
  schema::Schema schema;
  schema.type = type;
  schema.format = format;
  return Node(std::move(schema));
}

}  // namespace

Node& Node::Doc(std::string text) {
  schema_.description = std::move(text);
  return *this;
}

Node& Node::Default(json::Value value) {
  schema_.default_value = std::move(value);
  return *this;
}

Node& Node::Nullable() {
  schema_.nullable = true;
  return *this;
}

Node& Node::Enum(std::initializer_list<std::string_view> values) {
  for (const std::string_view value : values) {
    schema_.enumeration.emplace_back(value);
  }
  return *this;
}

Node& Node::Min(int64_t value) {
  schema_.minimum = json::Value(value);
  return *this;
}

Node& Node::Max(int64_t value) {
  schema_.maximum = json::Value(value);
  return *this;
}

Node& Node::MinLength(int64_t value) {
  schema_.min_length = value;
  return *this;
}

Node& Node::MaxLength(int64_t value) {
  schema_.max_length = value;
  return *this;
}

Node& Node::Pattern(std::string pattern) {
  schema_.pattern = std::move(pattern);
  return *this;
}

Node& Node::MinItems(int64_t value) {
  schema_.min_items = value;
  return *this;
}

Node& Node::MaxItems(int64_t value) {
  schema_.max_items = value;
  return *this;
}

Node& Node::MaxProperties(int64_t value) {
  schema_.max_properties = value;
  return *this;
}

Node& Node::Atomic() {
  if (schema_.type == schema::Type::kArray) {
    schema_.list_type = schema::ListType::kAtomic;
  } else {
    schema_.map_type = schema::MapType::kAtomic;
  }
  return *this;
}

Node& Node::Set() {
  schema_.list_type = schema::ListType::kSet;
  return *this;
}

Node& Node::MapBy(std::initializer_list<std::string_view> keys) {
  schema_.list_type = schema::ListType::kMap;
  schema_.list_map_keys.assign(keys.begin(), keys.end());
  return *this;
}

Node& Node::Format(std::string format) {
  schema_.format = std::move(format);
  return *this;
}

Node& Node::PreserveUnknown() {
  schema_.preserve_unknown_fields = true;
  return *this;
}

Node& Node::Rule(std::string rule, std::string message) {
  return Rule({.rule = std::move(rule), .message = std::move(message)});
}

Node& Node::Rule(schema::Rule rule) {
  schema_.rules.push_back(std::move(rule));
  return *this;
}

Node& Node::Items(const Node& items) {
  schema_.items = items.Share();
  return *this;
}

Node String() { return OfType(schema::Type::kString); }
Node Boolean() { return OfType(schema::Type::kBoolean); }
Node Integer32() { return Kube("int32"); }
Node Integer64() { return OfType(schema::Type::kInteger, "int64"); }
Node Number() { return OfType(schema::Type::kNumber); }
Node Quantity() { return Kube("quantity"); }
Node IntOrString() { return Kube("intOrString"); }
Node Timestamp() { return OfType(schema::Type::kString, "date-time"); }

Node DnsLabel() {
  return String().MinLength(1).MaxLength(63).Pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
}

Node ListOf(const Node& items) { return OfType(schema::Type::kArray).Items(items); }

Node MapOf(const Node& values) {
  schema::Schema schema;
  schema.type = schema::Type::kObject;
  schema.additional_properties = values.Share();
  return Node(std::move(schema));
}

Node StringMap() { return MapOf(String()); }
Node FreeForm() { return OfType(schema::Type::kObject).PreserveUnknown(); }
Node Kube(std::string_view type) { return Node(core::TypeSchema(type)); }

}  // namespace hearth::api
