#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "schema/schema.h"

namespace hearth::api::conversion::testing {

// Objects that a structural schema allows (its CEL rules are not asked), made to be awkward: few
// different names, so that they collide; lists and maps that are empty; quantities of all
// spellings; words that only one version knows. The same seed gives the same objects.
class RandomObjects {
 public:
  explicit RandomObjects(uint64_t seed) : random_(seed) {}

  // A whole object of a kind: `root` is the schema of the version.
  json::Value Object(const schema::Schema& root, std::string_view kind, std::string_view version);
  json::Value Make(const schema::Schema& schema, std::string_view name);

  // Changes one place somewhere in the value: what is there is deleted, made anew or joined by
  // something else.
  void Change(json::Value& value, const schema::Schema& schema);

  // Puts anything at all, most likely of a wrong type, somewhere into the value.
  void Spoil(json::Value& value);

  size_t Below(size_t count) { return random_() % count; }
  bool OneIn(size_t count) { return Below(count) == 0; }

 private:
  template <typename T>
  T Any(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(choices.size()));
  }
  json::Value MakeObject(const schema::Schema& schema);
  json::Value MakeMap(const schema::Schema& schema);
  json::Value MakeList(const schema::Schema& schema, std::string_view name);
  json::Value MakeText(const schema::Schema& schema, std::string_view name);
  json::Value MakeInteger(const schema::Schema& schema);
  json::Value MakeAnything(int depth);
  json::Value MakeFreeForm(int depth);
  void ChangeMember(json::Value& object, const schema::Schema& schema);
  void ChangeItem(json::Value& list, const schema::Schema& schema);
  bool Wanted(const schema::Schema& schema, const schema::Property& property);

  std::mt19937_64 random_;
  int depth_ = 0;
};

}  // namespace hearth::api::conversion::testing
