#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

  Tree() = default;                          // nothing at all
  explicit Tree(const json::Value* value) {  // null: nothing
    if (value != nullptr) {
      value_ = value;
      kind_ = value->kind();
      inner_ = kind_ == json::Kind::kObject  ? static_cast<const void*>(&value->members())
               : kind_ == json::Kind::kArray ? &value->items()
                                             : nullptr;
    }
  }
  explicit Tree(const Node* node)
      : inner_(node), kind_(node->is_object ? json::Kind::kObject : json::Kind::kArray) {}

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
  const void* id() const { return value_ != nullptr ? static_cast<const void*>(value_) : inner_; }

  json::Value ToValue() const;
  // As json::Value::WriteCanonical, without making a value first.
  std::string WriteCanonical() const;
  // The same, and adds the looks that it takes to put members in order.
  std::string WriteCanonical(size_t& looks) const;
  void AppendCanonical(std::string& text) const;
  // The same JSON, members in any order. Numbers are the same when they are written the same.
  friend bool operator==(const Tree& a, const Tree& b);
  // As ==, with no more than so many looks, and with none left after it took more: then it is
  // false. What is one and the same takes none; all else one for itself and for each member, item,
  // name and eight bytes of text, and more where members have another order.
  static bool Equal(const Tree& a, const Tree& b, size_t& looks);
  // One and the same, not just equal: found out at once.
  static bool Same(const Tree& a, const Tree& b) {
    return a.value_ == b.value_ && a.inner_ == b.inner_;
  }

 private:
  // Of objects and lists only.
  bool IsNew() const { return value_ == nullptr; }
  const Node& node() const { return *static_cast<const Node*>(inner_); }
  const json::Value::Members& members() const {
    return *static_cast<const json::Value::Members*>(inner_);
  }
  const json::Value::Items& items() const {
    return *static_cast<const json::Value::Items*>(inner_);
  }

  const json::Value* value_ = nullptr;  // null for what is new
  // What an object or list holds: a Node when it is new, else members or items of the value. Asking
  // the value each time costs more than the rest of a look into it.
  const void* inner_ = nullptr;
  json::Kind kind_ = json::Kind::kAbsent;
};

struct Tree::Member {
  std::string_view name;
  Tree value;
};

// To read eight bytes of a text is one look.
inline constexpr size_t kBytesPerLook = 8;
// To read all names of an object once.
size_t NameLooks(const Tree& object);

// Places of an object's members in the order of their names.
std::vector<size_t> SortedByName(const Tree& object);

// Names of one length mostly differ at their end: most need no call to be told apart.
inline bool SameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || a.back() == b.back()) && a == b;
}

inline size_t Tree::size() const {
  if (inner_ == nullptr) {
    return 0;
  }
  return IsNew() ? node().size : IsObject() ? members().size() : items().size();
}

inline std::string_view Tree::name(size_t index) const {
  return IsNew() ? node().members[index].name : std::string_view(members()[index].first);
}

inline Tree Tree::at(size_t index) const {
  if (IsObject()) {
    return IsNew() ? node().members[index].value : Tree(&members()[index].second);
  }
  return IsNew() ? node().items[index] : Tree(&items()[index]);
}

}  // namespace hearth::api::conversion::internal
