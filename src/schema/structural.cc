#include "schema/structural.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace hearth::schema {
namespace {

using json::Value;

enum class Level { kRoot, kItem, kField };

bool IsOnlyType(const Schema& schema, const char* type) {
  return ToJson(schema) == Value::Object({{"type", type}});
}

// anyOf: [{type: integer}, {type: string}], the one place where alternatives may have types.
bool IsIntOrString(const std::vector<SchemaPtr>& any_of) {
  return any_of.size() == 2 && IsOnlyType(*any_of[0], "integer") &&
         IsOnlyType(*any_of[1], "string");
}

class Check {
 public:
  explicit Check(ErrorList& errors) : errors_(errors) {}

  void Node(const Schema& schema, Level level, const FieldPath& path) {
    Children(schema, level, path);
    Alternatives(schema, IsIntOrString(schema.any_of),
                 !schema.all_of.empty() && IsIntOrString(schema.all_of[0]->any_of), path);
    TypeOf(schema, level, path);
    Extensions(schema, path);
    ListAndMap(schema, path);
    if (level == Level::kRoot || schema.embedded_resource) {
      Meta(schema, level, path);
    }
    if (schema.embedded_resource && !schema.preserve_unknown_fields && schema.properties.empty()) {
      errors_.Add(Required(path.Child("properties"),
                           "must not be empty if x-kubernetes-embedded-resource is true without "
                           "x-kubernetes-preserve-unknown-fields"));
    }
  }

  // What alternatives of the root say about fields must be about fields that are there.
  void Complete(const Schema& value, const Schema* structure, const FieldPath& at,
                const FieldPath& path) {
    if (structure == nullptr) {
      errors_.Add(Required(at, "because it is defined in " + path.ToString()));
      return;
    }
    EachAlternative(value, path, [&](const Schema& inner, const FieldPath& inner_path) {
      CompleteNested(inner, structure, at, inner_path);
    });
  }

 private:
  void CompleteNested(const Schema& value, const Schema* structure, const FieldPath& at,
                      const FieldPath& path) {
    Complete(value, structure, at, path);
    if (structure == nullptr) {
      return;
    }
    if (value.items != nullptr) {
      const FieldPath items = at.Child("items");
      CompleteNested(*value.items, structure->items.get(), items, path.Child("items"));
    }
    for (const Property& property : value.properties) {
      const FieldPath place = at.Child("properties");
      const FieldPath key = place.Key(property.name);
      const FieldPath inner = path.Child("properties");
      CompleteNested(*property.schema, structure->Find(property.name), key,
                     inner.Key(property.name));
    }
  }

  template <typename Visit>
  static void EachAlternative(const Schema& schema, const FieldPath& path, const Visit& visit) {
    const auto all = [&](const char* name, const std::vector<SchemaPtr>& schemas) {
      const FieldPath list = path.Child(name);
      for (size_t i = 0; i < schemas.size(); ++i) {
        visit(*schemas[i], list.Item(i));
      }
    };
    all("allOf", schema.all_of);
    all("anyOf", schema.any_of);
    all("oneOf", schema.one_of);
    if (schema.negation != nullptr) {
      visit(*schema.negation, path.Child("not"));
    }
  }

  void Children(const Schema& schema, Level level, const FieldPath& path) {
    if (schema.type == Type::kArray && schema.items == nullptr) {
      errors_.Add(Required(path.Child("items"), "must be specified"));
    }
    if (schema.items != nullptr) {
      Node(*schema.items, Level::kItem, path.Child("items"));
    }
    const FieldPath properties = path.Child("properties");
    for (const Property& property : schema.properties) {
      Node(*property.schema, Level::kField, properties.Key(property.name));
    }
    const FieldPath additional = path.Child("additionalProperties");
    if (schema.additional_properties != nullptr) {
      Node(*schema.additional_properties, Level::kField, additional);
      if (!schema.properties.empty()) {
        errors_.Add(Forbidden(additional, "additionalProperties and properties are mutual exclusive"));
      }
    }
    const bool has_additional =
        schema.additional_properties != nullptr || schema.any_additional_properties;
    if (has_additional && level == Level::kRoot) {
      errors_.Add(Forbidden(additional, "must not be used at the root"));
    }
    if (has_additional && schema.embedded_resource) {
      errors_.Add(
          Forbidden(additional, "must not be used if x-kubernetes-embedded-resource is set"));
    }
  }

  void Alternatives(const Schema& schema, bool skip_any_of, bool skip_first_all_of_any_of,
                    const FieldPath& path) {
    if (!schema.pattern.empty()) {
      const RE2 pattern(schema.pattern, RE2::Quiet);
      if (!pattern.ok()) {
        errors_.Add(Invalid(path.Child("pattern"), schema.pattern,
                            "must be a valid regular expression, but isn't: " + pattern.error()));
      }
    }
    if (schema.unique_items) {
      errors_.Add(Forbidden(path.Child("uniqueItems"),
                            "uniqueItems cannot be set to true since the runtime complexity "
                            "becomes quadratic"));
    }
    EachAlternative(schema, path, [&](const Schema& inner, const FieldPath& inner_path) {
      const bool is_any_of = std::any_of(schema.any_of.begin(), schema.any_of.end(),
                                         [&](const SchemaPtr& s) { return s.get() == &inner; });
      if (is_any_of && skip_any_of) {
        return;
      }
      const bool first = !schema.all_of.empty() && schema.all_of[0].get() == &inner;
      Nested(inner, first && skip_first_all_of_any_of, inner_path);
    });
  }

  // A schema below allOf, anyOf, oneOf or not: only what restricts a value may stand there.
  void Nested(const Schema& schema, bool skip_any_of, const FieldPath& path) {
    Alternatives(schema, skip_any_of, false, path);
    if (schema.items != nullptr) {
      Nested(*schema.items, false, path.Child("items"));
    }
    const FieldPath properties = path.Child("properties");
    for (const Property& property : schema.properties) {
      Nested(*property.schema, false, properties.Key(property.name));
      if (property.name == "metadata") {
        errors_.Add(
            Forbidden(properties.Key("metadata"), "must not be specified in a nested context"));
      }
    }
    const auto forbid = [&](bool there, const char* name, const char* what) {
      if (there) {
        errors_.Add(Forbidden(path.Child(name), fmt::format("must be {} to be structural", what)));
      }
    };
    forbid(schema.type != Type::kNone, "type", "empty");
    forbid(schema.additional_properties != nullptr || schema.any_additional_properties,
           "additionalProperties", "undefined");
    forbid(schema.default_value.has_value(), "default", "undefined");
    forbid(!schema.title.empty(), "title", "empty");
    forbid(!schema.description.empty(), "description", "empty");
    forbid(schema.nullable, "nullable", "false");
    forbid(schema.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields", "false");
    forbid(schema.embedded_resource, "x-kubernetes-embedded-resource", "false");
    forbid(schema.int_or_string, "x-kubernetes-int-or-string", "false");
    forbid(!schema.list_map_keys.empty(), "x-kubernetes-list-map-keys", "empty");
    forbid(schema.list_type != ListType::kNone, "x-kubernetes-list-type", "undefined");
    forbid(schema.map_type != MapType::kNone, "x-kubernetes-map-type", "undefined");
    forbid(!schema.rules.empty(), "x-kubernetes-validations", "empty");
  }

  void TypeOf(const Schema& schema, Level level, const FieldPath& path) {
    const FieldPath type = path.Child("type");
    if (schema.embedded_resource && schema.type != Type::kObject) {
      errors_.Add(Required(type, "must be object if x-kubernetes-embedded-resource is true"));
    } else if (schema.type == Type::kNone && !schema.int_or_string &&
               !schema.preserve_unknown_fields) {
      errors_.Add(Required(type, level == Level::kRoot   ? "must not be empty at the root"
                                 : level == Level::kItem ? "must not be empty for specified array items"
                                                         : "must not be empty for specified object fields"));
    }
    if (level == Level::kRoot && schema.type != Type::kNone && schema.type != Type::kObject) {
      errors_.Add(Invalid(type, ToJson(schema)["type"], "must be object at the root"));
    }
  }

  void Extensions(const Schema& schema, const FieldPath& path) {
    constexpr const char* kDetail = "must be false if x-kubernetes-int-or-string is true";
    if (schema.int_or_string && schema.preserve_unknown_fields) {
      errors_.Add(Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), true, kDetail));
    }
    if (schema.int_or_string && schema.embedded_resource) {
      errors_.Add(Invalid(path.Child("x-kubernetes-embedded-resource"), true, kDetail));
    }
  }

  void ListAndMap(const Schema& schema, const FieldPath& path) {
    if (schema.map_type != MapType::kNone && schema.type != Type::kObject) {
      errors_.Add(Required(path.Child("type"), "must be object if x-kubernetes-map-type is specified"));
    }
    if (schema.list_type != ListType::kNone && schema.type != Type::kArray) {
      errors_.Add(Required(path.Child("type"), "must be array if x-kubernetes-list-type is specified"));
    }
    if (schema.list_type == ListType::kSet && schema.items != nullptr) {
      SetItems(*schema.items, path.Child("items"));
    }
    if (!schema.list_map_keys.empty() && schema.list_type != ListType::kMap) {
      errors_.Add(Required(path.Child("x-kubernetes-list-type"),
                           "must be map if x-kubernetes-list-map-keys is non-empty"));
    }
    if (schema.list_type == ListType::kMap) {
      MapKeys(schema, path);
    }
  }

  void SetItems(const Schema& items, const FieldPath& path) {
    constexpr const char* kDetail =
        "must be atomic as item of a list with x-kubernetes-list-type=set";
    if (items.type == Type::kArray && items.list_type != ListType::kNone &&
        items.list_type != ListType::kAtomic) {
      errors_.Add(Invalid(path.Child("x-kubernetes-list-type"), nullptr, kDetail));
    }
    if (items.type == Type::kObject && items.map_type != MapType::kAtomic) {
      errors_.Add(Invalid(path.Child("x-kubernetes-map-type"), nullptr, kDetail));
    }
  }

  void MapKeys(const Schema& schema, const FieldPath& path) {
    const FieldPath keys = path.Child("x-kubernetes-list-map-keys");
    if (schema.list_map_keys.empty()) {
      errors_.Add(Required(keys, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (schema.items == nullptr || schema.items->type != Type::kObject) {
      const FieldPath items = path.Child("items");
      errors_.Add(Invalid(items.Child("type"), nullptr,
                          "must be object if parent array's x-kubernetes-list-type is map"));
      return;
    }
    std::set<std::string_view> seen;
    for (const std::string& key : schema.list_map_keys) {
      const Schema* property = schema.items->Find(key);
      if (property == nullptr) {
        errors_.Add(Invalid(keys, key, "entries must all be names of item properties"));
      } else if (property->type == Type::kArray || property->type == Type::kObject) {
        errors_.Add(Invalid(keys, key,
                            "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      } else if (property->nullable) {
        errors_.Add(Forbidden(keys, "this property is a key and cannot be nullable"));
      } else if (!property->default_value &&
                 std::find(schema.items->required.begin(), schema.items->required.end(), key) ==
                     schema.items->required.end()) {
        errors_.Add(Required(keys, "this property is in x-kubernetes-list-map-keys, so it must "
                                   "have a default or be a required property"));
      }
      if (!seen.insert(key).second) {
        errors_.Add(Invalid(keys, key, "must not contain duplicate entries"));
      }
    }
  }

  void Meta(const Schema& schema, Level level, const FieldPath& path) {
    const FieldPath properties = path.Child("properties");
    for (const char* name : {"kind", "apiVersion"}) {
      const Schema* property = schema.Find(name);
      if (property != nullptr && property->type != Type::kString) {
        const FieldPath key = properties.Key(name);
        errors_.Add(Invalid(key.Child("type"), ToJson(*property)["type"], "must be string"));
      }
    }
    const Schema* metadata = schema.Find("metadata");
    if (metadata == nullptr) {
      return;
    }
    const FieldPath key = properties.Key("metadata");
    if (metadata->type != Type::kObject) {
      errors_.Add(Invalid(key.Child("type"), ToJson(*metadata)["type"], "must be object"));
    }
    const bool only_names =
        std::all_of(metadata->properties.begin(), metadata->properties.end(),
                    [](const Property& p) { return p.name == "name" || p.name == "generateName"; });
    Schema rest = *metadata;
    rest.type = Type::kNone;
    rest.properties.clear();
    rest.default_value.reset();
    if (level == Level::kRoot && (!only_names || !ToJson(rest).members().empty())) {
      errors_.Add(Forbidden(key,
                            "must not specify anything other than name and generateName, but "
                            "metadata is implicitly specified"));
    }
  }

  ErrorList& errors_;
};

}  // namespace

std::vector<FieldError> CheckStructural(const Schema& root) {
  ErrorList errors;
  Check check(errors);
  const FieldPath path = FieldPath::Base("openAPIV3Schema");
  check.Node(root, Level::kRoot, path);
  check.Complete(root, &root, path, path);
  return errors.Take();
}

}  // namespace hearth::schema
