#include "api/conversion/testing/random_object.h"

#include <algorithm>
#include <set>
#include <utility>

namespace hearth::api::conversion::testing {
namespace {

using json::Value;
using schema::Schema;
using schema::Type;

// The members of an item that must be different in a list.
std::string KeyOf(const Schema& list, const Value& item) {
  if (list.list_type == schema::ListType::kSet) {
    return item.WriteCanonical();
  }
  std::string key;
  for (const std::string& name : list.list_map_keys) {
    const Value* member = item.Find(name);
    key += (member == nullptr ? std::string() : member->WriteCanonical()) + "|";
  }
  return key;
}

bool Unique(const Schema& list) {
  return list.list_type == schema::ListType::kSet || list.list_type == schema::ListType::kMap;
}

}  // namespace

Value RandomObjects::Object(const Schema& root, std::string_view kind, std::string_view version) {
  Value object = Value::Object({{"apiVersion", "nvidia.com/" + std::string(version)},
                                {"kind", kind},
                                {"metadata", Value::Object({{"name", "graph"}})}});
  if (OneIn(4)) {
    object["metadata"].Set(
        "annotations", OneIn(3) ? Value::Object() : Value::Object({{"team", "a"}, {"b/c", ""}}));
  }
  if (OneIn(8)) {
    object["metadata"].Set("managedFields", Value::Array({Value::Object({{"manager", "x"}})}));
  }
  object.Set("spec", Make(*root.Find("spec"), "spec"));
  if (OneIn(3)) {
    object.Set("status", Make(*root.Find("status"), "status"));
  }
  return object;
}

Value RandomObjects::Make(const Schema& schema, std::string_view name) {
  if (schema.nullable && OneIn(8)) {
    return Value();
  }
  if (schema.int_or_string) {
    return Any<Value>({"1", "1000m", "1Gi", "0", "0Gi", "1024Mi", 1, 0, 2});
  }
  switch (schema.type) {
    case Type::kObject:
      return schema.preserve_unknown_fields ? MakeFreeForm(2) : MakeObject(schema);
    case Type::kArray:
      return MakeList(schema, name);
    case Type::kString:
      return MakeText(schema, name);
    case Type::kInteger:
      return MakeInteger(schema);
    case Type::kNumber:
      return Any<Value>({0, 1, 0.5});
    case Type::kBoolean:
      return OneIn(2);
    case Type::kNone:
      break;
  }
  return MakeAnything(1);
}

void RandomObjects::Change(Value& value, const Schema& schema) {
  if (value.IsObject() && !schema.preserve_unknown_fields) {
    ChangeMember(value, schema);
  } else if (value.IsArray() && schema.items != nullptr) {
    ChangeItem(value, schema);
  } else {
    value = Make(schema, "");
  }
}

void RandomObjects::Spoil(Value& value) {
  if (value.IsObject() && !value.members().empty() && !OneIn(6)) {
    Spoil(value.members()[Below(value.members().size())].second);
  } else if (value.IsArray() && !value.items().empty() && !OneIn(6)) {
    Spoil(value.items()[Below(value.items().size())]);
  } else {
    value = MakeAnything(2);
  }
}

void RandomObjects::ChangeMember(Value& object, const Schema& schema) {
  if (!object.members().empty() && !OneIn(8)) {
    auto& [name, member] = object.members()[Below(object.members().size())];
    const Schema* known = schema.Find(name);
    known = known == nullptr ? schema.additional_properties.get() : known;
    if (known != nullptr && !OneIn(5)) {
      Change(member, *known);
    } else {
      object.Erase(std::string(name));
    }
  } else if (!schema.properties.empty()) {
    const schema::Property& property = schema.properties[Below(schema.properties.size())];
    object.Set(property.name, Make(*property.schema, property.name));
  } else if (schema.additional_properties != nullptr) {
    object.Set(Any<const char*>({"a", "new"}), Make(*schema.additional_properties, "value"));
  }
}

void RandomObjects::ChangeItem(Value& list, const Schema& schema) {
  Value::Items& items = list.items();
  if (items.empty() || OneIn(6)) {
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(Below(items.size() + 1)),
                 Make(*schema.items, ""));
    return;
  }
  const size_t place = Below(items.size());
  if (OneIn(5)) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(place));
  } else if (OneIn(6)) {
    std::swap(items[place], items[Below(items.size())]);
  } else {
    Change(items[place], *schema.items);
  }
}

// Near the root most things are there; deep inside pods little is.
bool RandomObjects::Wanted(const Schema& schema, const schema::Property& property) {
  const auto& required = schema.required;
  if (std::find(required.begin(), required.end(), property.name) != required.end()) {
    return true;
  }
  if (property.name == "services" || property.name == "components") {
    return !OneIn(10);
  }
  if (property.name == "mainContainer" || property.name == "containers") {
    return !OneIn(3);
  }
  return OneIn(std::max<size_t>(3, schema.properties.size() / 4));
}

Value RandomObjects::MakeObject(const Schema& schema) {
  if (schema.properties.empty()) {
    return MakeMap(schema);
  }
  Value object = Value::Object();
  ++depth_;
  for (const schema::Property& property : schema.properties) {
    if (Wanted(schema, property)) {
      object.Set(property.name, Make(*property.schema, property.name));
    }
  }
  --depth_;
  return object;
}

Value RandomObjects::MakeMap(const Schema& schema) {
  Value map = Value::Object();
  if (schema.additional_properties == nullptr) {
    return map;
  }
  const bool quantities = schema.additional_properties->int_or_string;
  for (size_t count = Below(4); count > 0; --count) {
    const std::string name =
        quantities ? Any<const char*>({"cpu", "memory", "nvidia.com/gpu", "amd.com/gpu"})
                   : Any<const char*>(
                         {"a", "b", "B", "main", "cpu", "nvidia.com/gpu", "name=a", "", "a/b~c.d"});
    map.Set(name, Make(*schema.additional_properties, "value"));
  }
  return map;
}

Value RandomObjects::MakeList(const Schema& schema, std::string_view name) {
  Value list = Value::Array();
  std::set<std::string> keys;
  for (size_t count = Below(depth_ < 6 ? 4 : 2); count > 0; --count) {
    Value item = Make(*schema.items, name);
    if (!Unique(schema) || keys.insert(KeyOf(schema, item)).second) {
      list.Append(std::move(item));
    }
  }
  return list;
}

Value RandomObjects::MakeText(const Schema& schema, std::string_view name) {
  if (!schema.enumeration.empty()) {
    return schema.enumeration[Below(schema.enumeration.size())];
  }
  if (schema.format == "date-time") {
    return "2026-01-02T03:04:05Z";
  }
  if (name == "componentType" || name == "subComponentType") {
    return Any<const char*>(
        {"worker", "worker", "worker", "frontend", "prefill", "decode", "Odd", ""});
  }
  if (name == "cpu" || name == "memory" || name == "gpu" || name == "value") {
    return Any<const char*>({"1", "2", "500m", "1Gi", "lots", ""});
  }
  if (name == "gpuType") {
    return Any<const char*>({"", "nvidia.com/gpu", "amd.com/gpu", "cpu"});
  }
  if (name == "frontendSidecar") {
    return Any<const char*>({"sidecar-frontend", "sidecar-frontend", "a", "ghost"});
  }
  if (name == "name" && OneIn(2)) {
    return Any<const char*>({"main", "sidecar-frontend"});
  }
  const bool free = schema.pattern.empty() && schema.min_length.value_or(0) == 0;
  return free && OneIn(6) ? Value("") : Value(Any<const char*>({"a", "b", "c"}));
}

Value RandomObjects::MakeInteger(const Schema& schema) {
  // Zero and its neighbours mean something; the lowest number of all does not.
  const int64_t lowest = schema.minimum.has_value() ? schema.minimum->Int().value_or(0) : 0;
  const int64_t wanted = std::max<int64_t>(lowest, 0) + static_cast<int64_t>(Below(3));
  const auto highest = schema.maximum.has_value() ? schema.maximum->Int() : std::nullopt;
  return highest.has_value() ? std::min(wanted, *highest) : wanted;
}

Value RandomObjects::MakeAnything(int depth) {
  if (depth == 0 || OneIn(3)) {
    return Any<Value>({Value(), true, 1, "a", "", Value::Object(), Value::Array()});
  }
  return MakeFreeForm(depth);
}

Value RandomObjects::MakeFreeForm(int depth) {
  Value object = Value::Object();
  for (size_t count = Below(3); count > 0; --count) {
    object.Set(Any<const char*>({"a", "spec", "name", ""}), MakeAnything(depth - 1));
  }
  return object;
}

}  // namespace hearth::api::conversion::testing
