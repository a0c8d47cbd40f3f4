// FromJson: each member of a schema has one reader in a table, so that what is not in the table is
// told and not silently left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "schema/field_path.h"
#include "schema/schema.h"

namespace hearth::schema {
namespace {

using json::Kind;
using json::Value;

// No real schema is deeper; the walks over it recurse.
constexpr int kMaxDepth = 200;

struct Place {
  const FieldPath& path;
  int depth;
};

Status Wrong(const Place& place, std::string_view what) {
  return InvalidError(fmt::format("{}: {}", place.path.ToString(), what));
}

Result<SchemaPtr> Read(const Value& value, const Place& place);

Result<bool> ReadBool(const Value& value, const Place& place) {
  if (value.kind() != Kind::kBool) {
    return Wrong(place, "must be true or false");
  }
  return value.boolean();
}

Result<std::string> ReadString(const Value& value, const Place& place) {
  if (!value.IsString()) {
    return Wrong(place, "must be a string");
  }
  return value.string();
}

Result<int64_t> ReadCount(const Value& value, const Place& place) {
  const auto count = value.Int();
  if (!count) {
    return Wrong(place, "must be an integer");
  }
  return *count;
}

Result<Value> ReadNumberValue(const Value& value, const Place& place) {
  if (value.kind() != Kind::kNumber) {
    return Wrong(place, "must be a number");
  }
  return value;
}

Result<std::vector<std::string>> ReadStrings(const Value& value, const Place& place) {
  if (!value.IsArray()) {
    return Wrong(place, "must be a list");
  }
  std::vector<std::string> strings;
  for (const Value& item : value.items()) {
    ASSIGN_OR_RETURN(strings.emplace_back(), ReadString(item, place));
  }
  return strings;
}

template <typename Enum, size_t N>
Result<Enum> ReadWord(const Value& value, const Place& place,
                      const std::array<std::pair<std::string_view, Enum>, N>& words) {
  ASSIGN_OR_RETURN(const std::string text, ReadString(value, place));
  for (const auto& [word, meaning] : words) {
    if (word == text) {
      return meaning;
    }
  }
  return Wrong(place, fmt::format("unknown value \"{}\"", text));
}

constexpr std::array<std::pair<std::string_view, Type>, 7> kTypes = {{{"", Type::kNone},
                                                                      {"object", Type::kObject},
                                                                      {"array", Type::kArray},
                                                                      {"string", Type::kString},
                                                                      {"integer", Type::kInteger},
                                                                      {"number", Type::kNumber},
                                                                      {"boolean", Type::kBoolean}}};
constexpr std::array<std::pair<std::string_view, ListType>, 3> kListTypes = {
    {{"atomic", ListType::kAtomic}, {"set", ListType::kSet}, {"map", ListType::kMap}}};
constexpr std::array<std::pair<std::string_view, MapType>, 2> kMapTypes = {
    {{"granular", MapType::kGranular}, {"atomic", MapType::kAtomic}}};

Result<std::vector<SchemaPtr>> ReadSchemas(const Value& value, const Place& place) {
  if (!value.IsArray()) {
    return Wrong(place, "must be a list");
  }
  std::vector<SchemaPtr> schemas;
  for (size_t i = 0; i < value.items().size(); ++i) {
    const FieldPath path = place.path.Item(i);
    ASSIGN_OR_RETURN(schemas.emplace_back(), Read(value.items()[i], {path, place.depth}));
  }
  return schemas;
}

Result<std::vector<Property>> ReadProperties(const Value& value, const Place& place) {
  if (!value.IsObject()) {
    return Wrong(place, "must be an object");
  }
  std::vector<Property> properties;
  for (const auto& [name, schema] : value.members()) {
    const FieldPath path = place.path.Key(name);
    ASSIGN_OR_RETURN(SchemaPtr read, Read(schema, {path, place.depth}));
    properties.push_back({name, std::move(read)});
  }
  return properties;
}

Status ReadAdditional(const Value& value, const Place& place, Schema& schema) {
  if (value.kind() != Kind::kBool) {
    ASSIGN_OR_RETURN(schema.additional_properties, Read(value, place));
    return Status::Ok();
  }
  if (!value.boolean()) {
    return Wrong(place, "cannot be false: fields that are not known are pruned, not refused");
  }
  schema.any_additional_properties = true;
  return Status::Ok();
}

Result<Rule> ReadRule(const Value& value, const Place& place) {
  if (!value.IsObject()) {
    return Wrong(place, "must be an object");
  }
  Rule rule;
  for (const auto& [name, member] : value.members()) {
    const FieldPath path = place.path.Child(name);
    const Place at{path, place.depth};
    std::string* text = name == "rule"                ? &rule.rule
                        : name == "message"           ? &rule.message
                        : name == "messageExpression" ? &rule.message_expression
                        : name == "reason"            ? &rule.reason
                        : name == "fieldPath"         ? &rule.field_path
                                                      : nullptr;
    if (text != nullptr) {
      ASSIGN_OR_RETURN(*text, ReadString(member, at));
    } else if (name == "optionalOldSelf") {
      ASSIGN_OR_RETURN(rule.optional_old_self, ReadBool(member, at));
    } else {
      return Wrong(at, "unknown member");
    }
  }
  return rule;
}

Status ReadRules(const Value& value, const Place& place, Schema& schema) {
  if (!value.IsArray()) {
    return Wrong(place, "must be a list");
  }
  for (size_t i = 0; i < value.items().size(); ++i) {
    const FieldPath path = place.path.Item(i);
    ASSIGN_OR_RETURN(schema.rules.emplace_back(), ReadRule(value.items()[i], {path, place.depth}));
  }
  return Status::Ok();
}

Status ReadEnum(const Value& value, const Place& place, Schema& schema) {
  if (!value.IsArray()) {
    return Wrong(place, "must be a list");
  }
  schema.enumeration = value.items();
  return Status::Ok();
}

using Reader = Status (*)(const Value&, const Place&, Schema&);

// A reader that gives its result to a member.
template <auto Member, auto Read>
Status Into(const Value& value, const Place& place, Schema& schema) {
  auto read = Read(value, place);
  RETURN_IF_ERROR(read);
  schema.*Member = std::move(read).value();
  return Status::Ok();
}

Status Ignore(const Value&, const Place&, Schema&) { return Status::Ok(); }

Result<Type> ReadType(const Value& value, const Place& place) {
  return ReadWord(value, place, kTypes);
}
Result<ListType> ReadListType(const Value& value, const Place& place) {
  return ReadWord(value, place, kListTypes);
}
Result<MapType> ReadMapType(const Value& value, const Place& place) {
  return ReadWord(value, place, kMapTypes);
}
Result<Value> ReadAny(const Value& value, const Place&) { return value; }

Result<bool> ReadPreserve(const Value& value, const Place& place) {
  ASSIGN_OR_RETURN(const bool preserve, ReadBool(value, place));
  if (!preserve) {
    return Wrong(place, "must be true or undefined");
  }
  return preserve;
}

struct Row {
  std::string_view name;
  Reader read;
};

constexpr Row kMembers[] = {
    {"type", Into<&Schema::type, ReadType>},
    {"format", Into<&Schema::format, ReadString>},
    {"title", Into<&Schema::title, ReadString>},
    {"description", Into<&Schema::description, ReadString>},
    {"default", Into<&Schema::default_value, ReadAny>},
    {"nullable", Into<&Schema::nullable, ReadBool>},
    {"minimum", Into<&Schema::minimum, ReadNumberValue>},
    {"maximum", Into<&Schema::maximum, ReadNumberValue>},
    {"exclusiveMinimum", Into<&Schema::exclusive_minimum, ReadBool>},
    {"exclusiveMaximum", Into<&Schema::exclusive_maximum, ReadBool>},
    {"multipleOf", Into<&Schema::multiple_of, ReadNumberValue>},
    {"minLength", Into<&Schema::min_length, ReadCount>},
    {"maxLength", Into<&Schema::max_length, ReadCount>},
    {"pattern", Into<&Schema::pattern, ReadString>},
    {"items", Into<&Schema::items, Read>},
    {"minItems", Into<&Schema::min_items, ReadCount>},
    {"maxItems", Into<&Schema::max_items, ReadCount>},
    {"uniqueItems", Into<&Schema::unique_items, ReadBool>},
    {"properties", Into<&Schema::properties, ReadProperties>},
    {"required", Into<&Schema::required, ReadStrings>},
    {"additionalProperties", ReadAdditional},
    {"minProperties", Into<&Schema::min_properties, ReadCount>},
    {"maxProperties", Into<&Schema::max_properties, ReadCount>},
    {"enum", ReadEnum},
    {"allOf", Into<&Schema::all_of, ReadSchemas>},
    {"anyOf", Into<&Schema::any_of, ReadSchemas>},
    {"oneOf", Into<&Schema::one_of, ReadSchemas>},
    {"not", Into<&Schema::negation, Read>},
    {"x-kubernetes-int-or-string", Into<&Schema::int_or_string, ReadBool>},
    {"x-kubernetes-preserve-unknown-fields", Into<&Schema::preserve_unknown_fields, ReadPreserve>},
    {"x-kubernetes-embedded-resource", Into<&Schema::embedded_resource, ReadBool>},
    {"x-kubernetes-list-type", Into<&Schema::list_type, ReadListType>},
    {"x-kubernetes-list-map-keys", Into<&Schema::list_map_keys, ReadStrings>},
    {"x-kubernetes-map-type", Into<&Schema::map_type, ReadMapType>},
    {"x-kubernetes-validations", ReadRules},
    // Words for people; they ask nothing of an object.
    {"example", Ignore},
    {"externalDocs", Ignore},
};

Result<SchemaPtr> Read(const Value& value, const Place& place) {
  if (!value.IsObject()) {
    return Wrong(place, "a schema must be an object");
  }
  if (place.depth >= kMaxDepth) {
    return Wrong(place, "the schema is nested too deep");
  }
  auto schema = std::make_shared<Schema>();
  for (const auto& member : value.members()) {
    const auto row = std::find_if(std::begin(kMembers), std::end(kMembers),
                                  [&](const Row& r) { return r.name == member.first; });
    const FieldPath path = place.path.Child(member.first);
    const Place at{path, place.depth + 1};
    if (row == std::end(kMembers)) {
      return Wrong(at, "unknown member");
    }
    RETURN_IF_ERROR(row->read(member.second, at, *schema));
  }
  return SchemaPtr(std::move(schema));
}

}  // namespace

Result<SchemaPtr> FromJson(const Value& schema) {
  return Read(schema, {FieldPath::Base("openAPIV3Schema"), 0});
}

}  // namespace hearth::schema
