#include "schema/defaults.h"

namespace hearth::schema {
namespace {

using json::Value;

bool HasDefault(const Schema& schema) {
  return schema.default_value && !schema.default_value->IsNull();
}

// A value of a map or an item of a list.
void DefaultElement(Value& value, const Schema& schema) {
  if (value.IsNull() && !schema.nullable && HasDefault(schema)) {
    value = *schema.default_value;
  }
  ApplyDefaults(value, schema);
}

void DefaultProperty(Value& object, const Property& property) {
  Value* value = object.Find(property.name);
  const bool missing = value == nullptr || (value->IsNull() && !property.schema->nullable);
  if (missing && HasDefault(*property.schema)) {
    object.Set(property.name, *property.schema->default_value);
    value = object.Find(property.name);
  }
  if (value != nullptr) {
    ApplyDefaults(*value, *property.schema);
  }
}

}  // namespace

void ApplyDefaults(Value& object, const Schema& schema) {
  if (object.IsArray() && schema.items != nullptr) {
    for (Value& item : object.items()) {
      DefaultElement(item, *schema.items);
    }
  } else if (object.IsObject()) {
    for (const Property& property : schema.properties) {
      DefaultProperty(object, property);
    }
    if (schema.additional_properties != nullptr) {
      for (auto& [name, value] : object.members()) {
        if (schema.Find(name) == nullptr) {
          DefaultElement(value, *schema.additional_properties);
        }
      }
    }
  }
}

}  // namespace hearth::schema
