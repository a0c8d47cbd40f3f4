#include "schema/internal/list_types.h"

#include <algorithm>
#include <string>

#include "base/seeded_hash.h"
#include "schema/internal/same.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

// Each value that is there more than once is told at its second place.
class Seen {
 public:
  bool IsSecond(std::string key) { return ++times_[std::move(key)] == 2; }

 private:
  SeededMap<std::string, int> times_;
};

void CheckSet(const Value::Items& items, const FieldPath& path, ErrorList& errors) {
  Seen seen;
  for (size_t i = 0; i < items.size(); ++i) {
    if (seen.IsSecond(SetKey(items[i])) && errors.Wants()) {
      errors.Add(Duplicate(path.Item(i), items[i]));
    }
  }
}

// The keys of an item as an object; a key that is missing is missing there, too.
Value KeysOf(const Schema& list, const Value& item) {
  Value keys = Value::Object();
  for (const std::string& name : list.list_map_keys) {
    if (const Value* key = item.Find(name)) {
      keys.Set(name, *key);
    }
  }
  return keys;
}

// What is compared: with one key its value, since 1 and 1.0 differ there but not within an object,
// and no key is not like any.
std::string Comparable(const Schema& list, const Value& keys) {
  if (list.list_map_keys.size() > 1) {
    return SetKey(keys);
  }
  return keys.members().empty() ? "" : SetKey(keys.members()[0].second);
}

void CheckMap(const Schema& list, const Value::Items& items, const FieldPath& path,
              ErrorList& errors) {
  const auto wrong = std::find_if(items.begin(), items.end(), [](const Value& item) {
    return !item.IsObject() && !item.IsNull();
  });
  if (wrong != items.end()) {
    errors.Add(Invalid(path.Item(static_cast<size_t>(wrong - items.begin())), *wrong,
                       "must be an object for an array of list-type map"));
    return;
  }
  Seen seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const Value keys = KeysOf(list, items[i]);
    if (seen.IsSecond(Comparable(list, keys)) && errors.Wants()) {
      errors.Add(Duplicate(path.Item(i), keys));
    }
  }
}

}  // namespace

void CheckListTypes(const Node& node, const Value& value, const FieldPath& path,
                    ErrorList& errors) {
  if (!node.has_keyed_lists) {
    return;
  }
  if (value.IsObject()) {
    for (const auto& [name, member] : value.members()) {
      if (const Node* property = node.Property(name)) {
        CheckListTypes(*property, member, path.Child(name), errors);
      } else if (node.additional != nullptr) {
        CheckListTypes(*node.additional, member, path.Key(name), errors);
      }
    }
  } else if (value.IsArray()) {
    if (node.schema.list_type == ListType::kSet) {
      CheckSet(value.items(), path, errors);
    } else if (node.schema.list_type == ListType::kMap) {
      CheckMap(node.schema, value.items(), path, errors);
    }
    for (size_t i = 0; node.items != nullptr && i < value.items().size(); ++i) {
      CheckListTypes(*node.items, value.items()[i], path.Item(i), errors);
    }
  }
}

}  // namespace hearth::schema::internal
