#pragma once

#include <string>
#include <string_view>

#include "base/seeded_hash.h"
#include "json/value.h"

namespace hearth::schema::internal {

// Equal as the server's values are: members in any order, 1 is not 1.0.
bool Same(const json::Value& a, const json::Value& b);

// A text that two items of a set share exactly when the server calls them duplicates. There a
// scalar 1 is not 1.0, but within objects and lists, which are compared as JSON, it is.
std::string SetKey(const json::Value& item);

// Members by name, hashed when there are many, so that maps of any size are compared in linear
// time.
class MemberIndex {
 public:
  explicit MemberIndex(const json::Value::Members& members);
  const json::Value* Find(std::string_view name) const;

 private:
  const json::Value::Members& members_;
  SeededMap<std::string_view, const json::Value*> hashed_;
};

}  // namespace hearth::schema::internal
