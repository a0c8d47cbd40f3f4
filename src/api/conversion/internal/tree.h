#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/value.h"

namespace hearth::api::conversion::internal {

// A JSON tree that borrows what it does not change, so that an object can be turned around several
// times for less than the price of one copy. Small, and never changed once made; new ones come from
// builders (builder.h). What a tree was made from, values and arena, must outlive it.
class Tree {
 public:
  struct Member;
  // A new object or list: members or items.
  struct Node {
    bool is_object = true;
    size_t size = 0;
    const Member* members = nullptr;
    const Tree* items = nullptr;
  };

  Tree() = default;                        // nothing at all
  explicit Tree(const json::Value* value)  // null: nothing
      : value_(value), kind_(value == nullptr ? json::Kind::kAbsent : value->kind()) {}
  explicit Tree(const Node* node)
      : node_(node), kind_(node->is_object ? json::Kind::kObject : json::Kind::kArray) {}

  json::Kind kind() const { return kind_; }
  bool Exists() const { return kind_ != json::Kind::kAbsent; }
  bool IsObject() const { return kind_ == json::Kind::kObject; }
  bool IsArray() const { return kind_ == json::Kind::kArray; }
  bool IsString() const { return kind_ == json::Kind::kString; }
  bool IsTrue() const;
  // A scalar as it stands; CHECKs that it is one.
  const json::Value& scalar() const;
  // Empty unless it is a string.
  std::string_view text() const;

  // Members of an object or items of a list; none for anything else.
  size_t size() const;
  std::string_view name(size_t index) const;
  Tree at(size_t index) const;
  // Nothing unless it is an object that has the member.
  Tree Find(std::string_view name) const;

  // The same for trees that are one and the same.
  const void* id() const { return node_ != nullptr ? static_cast<const void*>(node_) : value_; }

  json::Value ToValue() const;
  // As json::Value::WriteCanonical, without making a value first.
  std::string WriteCanonical() const;
  // The same JSON, members in any order. Numbers are the same when they are written the same.
  friend bool operator==(const Tree& a, const Tree& b);
  // One and the same, not just equal: found out at once.
  static bool Same(const Tree& a, const Tree& b) {
    return a.value_ == b.value_ && a.node_ == b.node_;
  }

 private:
  const json::Value* value_ = nullptr;  // either this
  const Node* node_ = nullptr;          // or that
  json::Kind kind_ = json::Kind::kAbsent;
};

struct Tree::Member {
  std::string_view name;
  Tree value;
};

}  // namespace hearth::api::conversion::internal
