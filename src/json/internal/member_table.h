#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"
#include "json/value.h"

namespace hearth::json::internal {

// Finds, adds and removes members of one object by name without scanning it each time, so that a
// hostile object with very many members costs no more than its size. Borrows the object, which
// nobody else may change meanwhile; removals happen when the table goes. Of a repeated name only
// the last member stays.
class MemberTable {
 public:
  // CHECKs that it is an object.
  explicit MemberTable(Value& object);
  ~MemberTable();
  MemberTable(const MemberTable&) = delete;
  MemberTable& operator=(const MemberTable&) = delete;

  // Valid until the next Set of a new name.
  Value* Find(std::string_view name);
  void Set(std::string_view name, Value value);
  void Erase(std::string_view name);

 private:
  Value::Members& members_;
  SeededMap<std::string, size_t> positions_;
  std::vector<bool> erased_;
  bool any_erased_ = false;
};

// The members of a constant object by name, of a repeated name the last. Borrows the object.
SeededMap<std::string_view, const Value*> IndexMembers(const Value& object);

}  // namespace hearth::json::internal
