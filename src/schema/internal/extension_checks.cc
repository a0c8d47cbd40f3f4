#include "schema/internal/extension_checks.h"

#include <algorithm>
#include <set>

namespace hearth::schema::internal {
namespace {

void SetItems(const Schema& items, const FieldPath& path, ErrorList& errors) {
  constexpr const char* kDetail =
      "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items.type == Type::kArray && items.list_type != ListType::kNone &&
      items.list_type != ListType::kAtomic) {
    errors.Add(Invalid(path.Child("x-kubernetes-list-type"), nullptr, kDetail));
  }
  if (items.type == Type::kObject && items.map_type != MapType::kAtomic) {
    errors.Add(Invalid(path.Child("x-kubernetes-map-type"), nullptr, kDetail));
  }
}

void MapKeys(const Schema& schema, const FieldPath& path, ErrorList& errors) {
  const FieldPath keys = path.Child("x-kubernetes-list-map-keys");
  if (schema.list_map_keys.empty()) {
    errors.Add(Required(keys, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (schema.items == nullptr || schema.items->type != Type::kObject) {
    const FieldPath items = path.Child("items");
    errors.Add(Invalid(items.Child("type"), nullptr,
                       "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  std::set<std::string_view> seen;
  for (const std::string& key : schema.list_map_keys) {
    const Schema* property = schema.items->Find(key);
    if (property == nullptr) {
      errors.Add(Invalid(keys, key, "entries must all be names of item properties"));
    } else if (property->type == Type::kArray || property->type == Type::kObject) {
      errors.Add(Invalid(keys, key,
                         "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    } else if (property->nullable) {
      errors.Add(Forbidden(keys, "this property is a key and cannot be nullable"));
    } else if (!property->default_value &&
               std::find(schema.items->required.begin(), schema.items->required.end(), key) ==
                   schema.items->required.end()) {
      errors.Add(Required(keys,
                          "this property is in x-kubernetes-list-map-keys, so it must "
                          "have a default or be a required property"));
    }
    if (!seen.insert(key).second) {
      errors.Add(Invalid(keys, key, "must not contain duplicate entries"));
    }
  }
}

}  // namespace

void CheckListAndMap(const Schema& schema, const FieldPath& path, ErrorList& errors) {
  if (schema.map_type != MapType::kNone && schema.type != Type::kObject) {
    errors.Add(
        Required(path.Child("type"), "must be object if x-kubernetes-map-type is specified"));
  }
  if (schema.list_type != ListType::kNone && schema.type != Type::kArray) {
    errors.Add(
        Required(path.Child("type"), "must be array if x-kubernetes-list-type is specified"));
  }
  if (schema.list_type == ListType::kSet && schema.items != nullptr) {
    SetItems(*schema.items, path.Child("items"), errors);
  }
  if (!schema.list_map_keys.empty() && schema.list_type != ListType::kMap) {
    errors.Add(Required(path.Child("x-kubernetes-list-type"),
                        "must be map if x-kubernetes-list-map-keys is non-empty"));
  }
  if (schema.list_type == ListType::kMap) {
    MapKeys(schema, path, errors);
  }
}

void CheckMetaProperties(const Schema& schema, bool root, const FieldPath& path,
                         ErrorList& errors) {
  const FieldPath properties = path.Child("properties");
  for (const char* name : {"kind", "apiVersion"}) {
    const Schema* property = schema.Find(name);
    if (property != nullptr && property->type != Type::kString) {
      const FieldPath key = properties.Key(name);
      errors.Add(Invalid(key.Child("type"), ToJson(*property)["type"], "must be string"));
    }
  }
  const Schema* metadata = schema.Find("metadata");
  if (metadata == nullptr) {
    return;
  }
  const FieldPath key = properties.Key("metadata");
  if (metadata->type != Type::kObject) {
    errors.Add(Invalid(key.Child("type"), ToJson(*metadata)["type"], "must be object"));
  }
  const bool only_names =
      std::all_of(metadata->properties.begin(), metadata->properties.end(),
                  [](const Property& p) { return p.name == "name" || p.name == "generateName"; });
  Schema rest = *metadata;
  rest.type = Type::kNone;
  rest.properties.clear();
  rest.default_value.reset();
  if (root && (!only_names || !ToJson(rest).members().empty())) {
    errors.Add(Forbidden(key,
                         "must not specify anything other than name and generateName, but "
                         "metadata is implicitly specified"));
  }
}

}  // namespace hearth::schema::internal
