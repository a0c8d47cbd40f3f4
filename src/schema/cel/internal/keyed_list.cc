#include "schema/cel/internal/keyed_list.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/seeded_hash.h"
#include "cel/collections.h"
#include "schema/cel/typed_value.h"

namespace hearth::schema::internal {
namespace {

class TypedList : public cel::List {
 public:
  TypedList(const json::Value& value, const Schema& items) : value_(value), items_(items) {}
  size_t size() const override { return value_.items().size(); }
  cel::Value at(size_t index) const override { return ToCel(value_.items()[index], items_); }

 protected:
  const json::Value& item(size_t index) const { return value_.items()[index]; }

 private:
  const json::Value& value_;
  const Schema& items_;
};

// What tells one item from the others: the item itself in a set, its key fields in a map.
std::string KeyOf(const json::Value& item, const Schema& schema) {
  if (schema.list_type == ListType::kSet) {
    return item.WriteCanonical();
  }
  std::string key;
  for (const std::string& name : schema.list_map_keys) {
    const json::Value* field = item.Find(name);
    key += (field != nullptr ? field->WriteCanonical() : "") + ",";
  }
  return key;
}

class KeyedList : public TypedList {
 public:
  KeyedList(const json::Value& value, const Schema& schema)
      : TypedList(value, *schema.items), schema_(schema) {}

  bool Equals(const cel::List& other) const override {
    const auto* keyed = dynamic_cast<const KeyedList*>(&other);
    if (keyed == nullptr) {
      return List::Equals(other);
    }
    if (keyed->size() != size()) {
      return false;
    }
    const auto theirs = keyed->Positions();
    for (size_t i = 0; i < size(); ++i) {
      const auto found = theirs.find(KeyOf(item(i), schema_));
      if (found == theirs.end() || !cel::Equal(at(i), keyed->at(found->second))) {
        return false;
      }
    }
    return true;
  }

  // Items of the other list take the place of those with the same key; new ones come behind.
  cel::Value Concat(const cel::Value& self, const cel::Value& other) const override {
    const auto* keyed = dynamic_cast<const KeyedList*>(&other.list());
    if (keyed == nullptr) {
      return List::Concat(self, other);
    }
    std::vector<cel::Value> merged;
    for (size_t i = 0; i < size(); ++i) {
      merged.push_back(at(i));
    }
    const auto mine = Positions();
    for (size_t i = 0; i < keyed->size(); ++i) {
      const auto found = mine.find(KeyOf(keyed->item(i), schema_));
      if (found == mine.end()) {
        merged.push_back(keyed->at(i));
      } else {
        merged[found->second] = keyed->at(i);
      }
    }
    return cel::MakeList(std::move(merged));
  }

 private:
  SeededMap<std::string, size_t> Positions() const {
    SeededMap<std::string, size_t> positions;
    for (size_t i = 0; i < size(); ++i) {
      positions.emplace(KeyOf(item(i), schema_), i);
    }
    return positions;
  }

  const Schema& schema_;
};

}  // namespace

cel::Value ListValue(const json::Value& value, const Schema& schema) {
  const bool keyed = schema.list_type == ListType::kSet || schema.list_type == ListType::kMap;
  return cel::Value::OfList(keyed ? std::make_shared<KeyedList>(value, schema)
                                  : std::make_shared<TypedList>(value, *schema.items));
}

}  // namespace hearth::schema::internal
