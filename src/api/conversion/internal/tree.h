#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"

namespace hearth::api::conversion::internal {

// A JSON tree that borrows what it does not change, so that an object can be turned around several
// times at the price of one. Copies are cheap and share; changes are seen by the changed copy only.
// The borrowed value must outlive every tree that came from it. Not for two threads at once.
class Tree {
 public:
  Tree() = default;                                                    // nothing at all
  explicit Tree(const json::Value* borrowed) : borrowed_(borrowed) {}  // null: nothing
  static Tree Object();
  static Tree Array();
  static Tree Own(json::Value value);
  static Tree Text(std::string_view text) { return Own(json::Value(text)); }

  json::Kind kind() const;
  bool Exists() const { return borrowed_ != nullptr || own_ != nullptr; }
  bool IsObject() const { return kind() == json::Kind::kObject; }
  bool IsArray() const { return kind() == json::Kind::kArray; }
  bool IsString() const { return kind() == json::Kind::kString; }
  bool IsTrue() const;
  // A scalar as it stands; CHECKs that it is one.
  const json::Value& scalar() const;
  // Empty unless it is a string. Valid as long as the tree is.
  std::string_view text() const;

  // Members of an object or items of a list; none for anything else.
  size_t size() const;
  std::string_view name(size_t index) const;
  Tree at(size_t index) const;
  // Nothing unless it is an object that has the member.
  Tree Find(std::string_view name) const;

  // For changes. What is borrowed is taken over one level deep; anything that is not an object (a
  // list) becomes an empty one first.
  void Set(std::string_view name, Tree value);
  // The same for a member that is known not to be there.
  void Add(std::string_view name, Tree value);
  void Append(Tree item);
  bool Erase(std::string_view name);
  void EraseAt(size_t index);
  // Null when there is none.
  Tree* FindToChange(std::string_view name);
  Tree* AtToChange(size_t index);

  json::Value ToValue() const;
  // One and the same, not just equal: found out at once.
  static bool Same(const Tree& a, const Tree& b) {
    return a.borrowed_ == b.borrowed_ && a.own_ == b.own_;
  }
  // The same JSON, members in any order. Numbers are the same when they are written the same.
  friend bool operator==(const Tree& a, const Tree& b);

 private:
  struct Rep;
  Rep& Change(json::Kind kind);

  const json::Value* borrowed_ = nullptr;  // either this
  std::shared_ptr<Rep> own_;               // or that; shared between copies until one is changed
};

}  // namespace hearth::api::conversion::internal
