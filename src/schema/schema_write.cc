// ToJson: members in the order in which people read a schema.
#include "schema/schema.h"
#include "schema/type_name.h"

namespace hearth::schema {
namespace {

using json::Value;

class Writer {
 public:
  explicit Writer(bool with_descriptions) : with_descriptions_(with_descriptions) {}

  Value Write(const Schema& schema) const {
    Value::Members out;
    AddTexts(out, schema);
    AddScalars(out, schema);
    AddLists(out, schema);
    AddObjects(out, schema);
    AddAny(out, schema);
    AddExtensions(out, schema);
    return Value::FromMembers(std::move(out));
  }

 private:
  using Out = Value::Members;

  static void Add(Out& out, std::string_view name, Value value) {
    out.emplace_back(std::string(name), std::move(value));
  }
  static void AddText(Out& out, std::string_view name, const std::string& text) {
    if (!text.empty()) {
      Add(out, name, text);
    }
  }
  static void AddFlag(Out& out, std::string_view name, bool flag) {
    if (flag) {
      Add(out, name, true);
    }
  }
  template <typename T>
  static void AddSet(Out& out, std::string_view name, const std::optional<T>& value) {
    if (value) {
      Add(out, name, Value(*value));
    }
  }
  static void AddStrings(Out& out, std::string_view name, const std::vector<std::string>& strings) {
    if (!strings.empty()) {
      Add(out, name, Value::FromItems({strings.begin(), strings.end()}));
    }
  }
  void AddSchema(Out& out, std::string_view name, const SchemaPtr& schema) const {
    if (schema != nullptr) {
      Add(out, name, Write(*schema));
    }
  }
  void AddSchemas(Out& out, std::string_view name, const std::vector<SchemaPtr>& schemas) const {
    if (schemas.empty()) {
      return;
    }
    Value::Items items;
    for (const SchemaPtr& schema : schemas) {
      items.push_back(Write(*schema));
    }
    Add(out, name, Value::FromItems(std::move(items)));
  }

  void AddTexts(Out& out, const Schema& schema) const {
    if (with_descriptions_) {
      AddText(out, "title", schema.title);
      AddText(out, "description", schema.description);
    }
    AddText(out, "type", std::string(TypeName(schema.type)));
    AddText(out, "format", schema.format);
    AddFlag(out, "nullable", schema.nullable);
    AddSet(out, "default", schema.default_value);
    if (!schema.enumeration.empty()) {
      Add(out, "enum", Value::FromItems(schema.enumeration));
    }
  }
  static void AddScalars(Out& out, const Schema& schema) {
    AddSet(out, "minimum", schema.minimum);
    AddFlag(out, "exclusiveMinimum", schema.exclusive_minimum);
    AddSet(out, "maximum", schema.maximum);
    AddFlag(out, "exclusiveMaximum", schema.exclusive_maximum);
    AddSet(out, "multipleOf", schema.multiple_of);
    AddSet(out, "minLength", schema.min_length);
    AddSet(out, "maxLength", schema.max_length);
    AddText(out, "pattern", schema.pattern);
  }
  void AddLists(Out& out, const Schema& schema) const {
    AddSet(out, "minItems", schema.min_items);
    AddSet(out, "maxItems", schema.max_items);
    AddFlag(out, "uniqueItems", schema.unique_items);
    AddSchema(out, "items", schema.items);
  }
  void AddObjects(Out& out, const Schema& schema) const {
    AddSet(out, "minProperties", schema.min_properties);
    AddSet(out, "maxProperties", schema.max_properties);
    AddStrings(out, "required", schema.required);
    if (!schema.properties.empty()) {
      Value::Members properties;
      for (const Property& property : schema.properties) {
        properties.emplace_back(property.name, Write(*property.schema));
      }
      Add(out, "properties", Value::FromMembers(std::move(properties)));
    }
    AddSchema(out, "additionalProperties", schema.additional_properties);
    AddFlag(out, "additionalProperties", schema.any_additional_properties);
  }
  void AddAny(Out& out, const Schema& schema) const {
    AddSchemas(out, "allOf", schema.all_of);
    AddSchemas(out, "anyOf", schema.any_of);
    AddSchemas(out, "oneOf", schema.one_of);
    AddSchema(out, "not", schema.negation);
  }
  static void AddExtensions(Out& out, const Schema& schema) {
    AddFlag(out, "x-kubernetes-int-or-string", schema.int_or_string);
    AddFlag(out, "x-kubernetes-preserve-unknown-fields", schema.preserve_unknown_fields);
    AddFlag(out, "x-kubernetes-embedded-resource", schema.embedded_resource);
    if (schema.list_type != ListType::kNone) {
      Add(out, "x-kubernetes-list-type",
          schema.list_type == ListType::kAtomic ? "atomic"
          : schema.list_type == ListType::kSet  ? "set"
                                                : "map");
    }
    AddStrings(out, "x-kubernetes-list-map-keys", schema.list_map_keys);
    if (schema.map_type != MapType::kNone) {
      Add(out, "x-kubernetes-map-type",
          schema.map_type == MapType::kAtomic ? "atomic" : "granular");
    }
    AddRules(out, schema);
  }
  static void AddRules(Out& out, const Schema& schema) {
    if (schema.rules.empty()) {
      return;
    }
    Value::Items rules;
    for (const Rule& rule : schema.rules) {
      Value::Members members;
      AddText(members, "rule", rule.rule);
      AddText(members, "message", rule.message);
      AddText(members, "messageExpression", rule.message_expression);
      AddText(members, "reason", rule.reason);
      AddText(members, "fieldPath", rule.field_path);
      AddSet(members, "optionalOldSelf", rule.optional_old_self);
      rules.push_back(Value::FromMembers(std::move(members)));
    }
    Add(out, "x-kubernetes-validations", Value::FromItems(std::move(rules)));
  }

  bool with_descriptions_;
};

}  // namespace

Value ToJson(const Schema& schema, bool with_descriptions) {
  return Writer(with_descriptions).Write(schema);
}

}  // namespace hearth::schema
