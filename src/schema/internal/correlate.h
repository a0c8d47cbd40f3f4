#pragma once

#include <optional>
#include <string>

#include "base/seeded_hash.h"
#include "json/value.h"
#include "schema/schema.h"

// Which old value a new one continues: members by name, items of a list of type map by their keys,
// items of any other list not at all.
namespace hearth::schema::internal {

// The items of an old list of type map by their keys; the first of equal ones counts. Empty for
// every other list.
class OldItems {
 public:
  OldItems(const Schema& list, const json::Value* old);
  // Null when there is none, or when the item has not all keys.
  const json::Value* Find(const json::Value& item) const;

 private:
  std::optional<std::string> KeyOf(const json::Value& item) const;

  const Schema& list_;
  SeededMap<std::string, const json::Value*> items_;
};

// Whether nothing was changed, seen through the schema: lists of type map in any order, and an
// object with members that the schema does not know counts as changed, as the server has it.
bool Unchanged(const Schema& schema, const json::Value& now, const json::Value& old);

}  // namespace hearth::schema::internal
