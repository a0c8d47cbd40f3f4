#include "api/core/testing/schema_json.h"

#include <array>
#include <string>
#include <vector>

namespace hearth::api::core {
namespace {

using json::Value;
using schema::ListType;
using schema::MapType;
using schema::Schema;

// By the order of the enumerators.
constexpr std::array kTypes = {"", "object", "array", "string", "integer", "number", "boolean"};
constexpr std::array kListTypes = {"", "atomic", "set", "map"};
constexpr std::array kMapTypes = {"", "granular", "atomic"};

void SetText(Value& out, const char* name, const std::string& text) {
  if (!text.empty()) {
    out.Set(name, text);
  }
}

void SetTexts(Value& out, const char* name, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    out[name].Append(text);
  }
}

}  // namespace

Value SchemaJson(const Schema& schema) {
  Value out = Value::Object();
  SetText(out, "type", kTypes[static_cast<size_t>(schema.type)]);
  SetText(out, "format", schema.format);
  SetText(out, "pattern", schema.pattern);
  if (schema.default_value) {
    out.Set("default", *schema.default_value);
  }
  if (schema.int_or_string) {
    out.Set("x-kubernetes-int-or-string", true);
  }
  if (schema.preserve_unknown_fields) {
    out.Set("x-kubernetes-preserve-unknown-fields", true);
  }
  SetText(out, "x-kubernetes-list-type", kListTypes[static_cast<size_t>(schema.list_type)]);
  SetText(out, "x-kubernetes-map-type", kMapTypes[static_cast<size_t>(schema.map_type)]);
  SetTexts(out, "x-kubernetes-list-map-keys", schema.list_map_keys);
  SetTexts(out, "required", schema.required);
  if (schema.items != nullptr) {
    out.Set("items", SchemaJson(*schema.items));
  }
  if (schema.additional_properties != nullptr) {
    out.Set("additionalProperties", SchemaJson(*schema.additional_properties));
  }
  for (const schema::Property& property : schema.properties) {
    out["properties"].Set(property.name, SchemaJson(*property.schema));
  }
  for (const schema::SchemaPtr& choice : schema.any_of) {
    out["anyOf"].Append(SchemaJson(*choice));
  }
  return out;
}

}  // namespace hearth::api::core
