#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace hearth::cel {

// What an adapter implements to show foreign data to expressions. Objects of these classes are
// shared between values and never change; all methods may be called from several threads.

class List {
 public:
  virtual ~List() = default;
  virtual size_t size() const = 0;
  // index < size().
  virtual Value at(size_t index) const = 0;
  // list == other and list + other. By default in order, element by element. An adapter for a
  // Kubernetes set or map list compares without order and merges by key. `self` holds this list.
  virtual bool Equals(const List& other) const;
  virtual Value Concat(const Value& self, const Value& other) const;
};

class Map {
 public:
  virtual ~Map() = default;
  virtual size_t size() const = 0;
  // Any kind of key may be asked for; 1, 1u and 1.0 are one key.
  virtual std::optional<Value> Find(const Value& key) const = 0;
  // In the order comprehensions see them.
  virtual std::vector<Value> Keys() const = 0;
  virtual bool Equals(const Map& other) const;
};

// A typed structure: a fixed set of declared fields, each set or not.
class Object {
 public:
  enum class Field { kUndeclared, kUnset, kSet };

  virtual ~Object() = default;
  virtual std::string_view type_name() const { return "object"; }
  virtual Field Has(std::string_view name) const = 0;
  // The field's value; nothing unless it is set.
  virtual std::optional<Value> Find(std::string_view name) const = 0;
  // Fields that are set; what the object counts for when its size costs.
  virtual size_t size() const = 0;
  virtual bool Equals(const Object& other) const = 0;
};

// Total over the kinds a map literal can have as keys: bool, numbers by value, strings.
struct KeyLess {
  bool operator()(const Value& a, const Value& b) const;
};
using Entries = std::map<Value, Value, KeyLess>;

bool IsMapKey(const Value& value);
// All keys must be map keys.
Value MakeMap(Entries entries);

}  // namespace hearth::cel
