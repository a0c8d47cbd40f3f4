#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace hearth::schema {

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

// x-kubernetes-validations: one CEL rule on the node it stands at.
struct Rule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;      // FieldValueInvalid when empty
  std::string field_path;  // relative to the node, ".spec.replicas"
  std::optional<bool> optional_old_self;
};

enum class Type { kNone, kObject, kArray, kString, kInteger, kNumber, kBoolean };
enum class ListType { kNone, kAtomic, kSet, kMap };
enum class MapType { kNone, kGranular, kAtomic };

struct Property {
  std::string name;
  SchemaPtr schema;
};

// One node of a structural schema as a CustomResourceDefinition carries it. A value: built once,
// shared and never changed after that. Members that are not set say nothing, as in JSON.
struct Schema {
  Type type = Type::kNone;
  std::string format;
  std::string title;
  std::string description;
  // The Kubernetes type this was made from, "core.v1.PodSpec": for documents. Not part of the JSON.
  std::string kube_type;
  std::optional<json::Value> default_value;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;

  // numbers
  std::optional<json::Value> minimum;  // a number, as written
  std::optional<json::Value> maximum;
  std::optional<json::Value> multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;

  // strings
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::string pattern;

  // lists
  SchemaPtr items;
  std::optional<int64_t> min_items;
  std::optional<int64_t> max_items;
  bool unique_items = false;
  ListType list_type = ListType::kNone;
  std::vector<std::string> list_map_keys;

  // objects
  std::vector<Property> properties;  // in the order of their declaration
  std::vector<std::string> required;
  SchemaPtr additional_properties;
  bool any_additional_properties = false;  // additionalProperties: true
  std::optional<int64_t> min_properties;
  std::optional<int64_t> max_properties;
  MapType map_type = MapType::kNone;

  // any value
  std::vector<json::Value> enumeration;
  std::vector<SchemaPtr> all_of;
  std::vector<SchemaPtr> any_of;
  std::vector<SchemaPtr> one_of;
  SchemaPtr negation;  // not
  std::vector<Rule> rules;

  // Null when there is none.
  const Schema* Find(std::string_view property) const;
};

// As it stands in a CustomResourceDefinition, openAPIV3Schema and below. Members we do not know are
// an error, so that nothing is silently not enforced. kInvalid names the place.
Result<SchemaPtr> FromJson(const json::Value& schema);
// Members in a fixed order; without descriptions when those are not wanted.
json::Value ToJson(const Schema& schema, bool with_descriptions = true);

}  // namespace hearth::schema
