#include <algorithm>

#include "base/random.h"
#include "schema_rig.h"

namespace hearth::schema {
namespace {

using json::Value;

class GuidedGenerator {
 public:
  explicit GuidedGenerator(uint64_t seed) : random_(seed) {}

  void Change(Value& value, const Schema& schema) {
    if (value.IsObject() && !schema.properties.empty()) {
      ChangeProperty(value, schema);
    } else if (value.IsObject() && schema.additional_properties != nullptr) {
      ChangeEntry(value, *schema.additional_properties);
    } else if (value.IsArray() && schema.items != nullptr) {
      ChangeItem(value, *schema.items);
    } else {
      value = Sample(schema, kDepth);
    }
  }

 private:
  static constexpr int kDepth = 3;
  static constexpr int64_t kMostItems = 30;  // limits above it cost more than they show

  bool Chance(uint64_t percent) { return random_.Below(100) < percent; }
  template <typename T>
  const T& OneOf(const std::vector<T>& values) {
    return values[random_.Below(values.size())];
  }

  void ChangeProperty(Value& object, const Schema& schema) {
    const Property& property = PickProperty(object, schema);
    Value* there = object.Find(property.name);
    if (there == nullptr || Chance(15)) {
      object.Set(property.name, Sample(*property.schema, kDepth));
    } else if (Chance(20)) {
      object.Erase(property.name);
    } else {
      Change(*there, *property.schema);
    }
  }

  // What is there is looked at more often than what could be.
  const Property& PickProperty(const Value& object, const Schema& schema) {
    if (Chance(70)) {
      std::vector<const Property*> there;
      for (const Property& property : schema.properties) {
        if (object.Find(property.name) != nullptr) {
          there.push_back(&property);
        }
      }
      if (!there.empty()) {
        return *OneOf(there);
      }
    }
    return OneOf(schema.properties);
  }

  void ChangeEntry(Value& map, const Schema& values) {
    if (map.members().empty() || Chance(20)) {
      map.Set(OneOf(kWords), Sample(values, kDepth));
    } else if (Chance(15)) {
      map.members().erase(map.members().begin());
    } else {
      Change(map.members()[random_.Below(map.members().size())].second, values);
    }
  }

  void ChangeItem(Value& list, const Schema& items) {
    if (list.items().empty() || Chance(15)) {
      list.Append(Sample(items, kDepth));
    } else if (Chance(10)) {
      list.Append(Value(OneOf(list.items())));
    } else if (Chance(10)) {
      list.items().pop_back();
    } else {
      Change(list.items()[random_.Below(list.items().size())], items);
    }
  }

  Value Sample(const Schema& schema, int depth) {
    if (Chance(3)) {
      return OneOf(std::vector<Value>{nullptr, 1, "text", true, Value::Array(), Value::Object()});
    }
    if (schema.int_or_string) {
      return OneOf(std::vector<Value>{0, -1, 8080, "0", "-1", "1Gi", "50%", "http", "", "1.5"});
    }
    if (!schema.enumeration.empty() && Chance(85)) {
      return OneOf(schema.enumeration);
    }
    switch (schema.type) {
      case Type::kString:
        return SampleText(schema);
      case Type::kInteger:
        return OneOf(Limits(schema, {-1, 0, 1, 2, 5}));
      case Type::kNumber:
        return OneOf(
            std::vector<Value>{0, 1, Value(Value::Number{"0.5"}), Value(Value::Number{"1.5"}), -1});
      case Type::kBoolean:
        return Chance(50);
      case Type::kArray:
        return SampleList(schema, depth);
      case Type::kObject:
        return SampleObject(schema, depth);
      case Type::kNone:
        break;
    }
    return Value::Object({{"any", 1}});
  }

  Value SampleText(const Schema& schema) {
    if (schema.format == "date-time" && Chance(80)) {
      return "2026-01-02T03:04:05Z";
    }
    if (schema.max_length && *schema.max_length < 1000 && Chance(30)) {
      return std::string(static_cast<size_t>(*schema.max_length) + random_.Below(2), 'a');
    }
    return OneOf(kWords);
  }

  std::vector<Value> Limits(const Schema& schema, std::vector<Value> values) {
    for (const std::optional<Value>& limit : {schema.minimum, schema.maximum}) {
      if (limit && limit->Int()) {
        for (const int64_t step : {-1, 0, 1}) {
          values.emplace_back(*limit->Int() + step);
        }
      }
    }
    return values;
  }

  Value SampleList(const Schema& schema, int depth) {
    int64_t size = static_cast<int64_t>(random_.Below(3));
    for (const std::optional<int64_t>& limit : {schema.min_items, schema.max_items}) {
      if (limit && *limit <= kMostItems && Chance(20)) {
        size = *limit + static_cast<int64_t>(random_.Below(2));
      }
    }
    Value list = Value::Array();
    for (int64_t i = 0; i < size && schema.items != nullptr; ++i) {
      list.Append(Sample(*schema.items, depth - 1));
    }
    return list;
  }

  Value SampleObject(const Schema& schema, int depth) {
    Value object = Value::Object();
    for (const Property& property : schema.properties) {
      const bool required = std::find(schema.required.begin(), schema.required.end(),
                                      property.name) != schema.required.end();
      if (depth > -2 && Chance(required ? 95 : depth > 0 ? 20 : 0)) {
        object.Set(property.name, Sample(*property.schema, depth - 1));
      }
    }
    if (schema.additional_properties != nullptr && Chance(70)) {
      object.Set(OneOf(kWords), Sample(*schema.additional_properties, depth - 1));
    }
    if (schema.preserve_unknown_fields) {
      object.Set("anything", "goes");
    }
    return object;
  }

  const std::vector<std::string> kWords = {"",
                                           "a",
                                           "b",
                                           "main",
                                           "worker",
                                           "engine-0",
                                           "models",
                                           "/dev/shm",
                                           "/a",
                                           "1Gi",
                                           "0",
                                           "-1",
                                           "vllm",
                                           "rack",
                                           "Bad_Name",
                                           "-a",
                                           "a/b",
                                           "example.com/x",
                                           "GMS_SOCKET_DIR",
                                           std::string(33, 'n'),
                                           std::string(34, 'n'),
                                           std::string(63, 'n'),
                                           std::string(64, 'n')};
  Random random_;
};

}  // namespace

std::vector<Value> GenerateGuided(const Schema& schema, const std::vector<Value>& good,
                                  const std::string& member, uint64_t seed, int count) {
  const Schema* part = schema.Find(member);
  if (part == nullptr) {
    return {};
  }
  GuidedGenerator generator(seed);
  Random random(seed);
  std::vector<Value> objects;
  for (int i = 0; i < count; ++i) {
    Value object = good[static_cast<size_t>(i) % good.size()];
    if (object[member].IsNull()) {
      object[member] = Value::Object();
    }
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      generator.Change(object[member], *part);
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace hearth::schema
