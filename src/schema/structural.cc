#include "schema/structural.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "schema/internal/extension_checks.h"

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
    internal::CheckListAndMap(schema, path, errors_);
    if (level == Level::kRoot || schema.embedded_resource) {
      internal::CheckMetaProperties(schema, level == Level::kRoot, path, errors_);
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
        errors_.Add(
            Forbidden(additional, "additionalProperties and properties are mutual exclusive"));
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
      errors_.Add(Required(type, level == Level::kRoot ? "must not be empty at the root"
                                 : level == Level::kItem
                                     ? "must not be empty for specified array items"
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
