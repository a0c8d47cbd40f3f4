#include "api/conversion/internal/tree.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace hearth::api::conversion::internal {

using json::Kind;
using json::Value;

struct Tree::Rep {
  Kind kind = Kind::kObject;
  std::vector<std::pair<std::string, Tree>> members;
  std::vector<Tree> items;
  Value scalar;
};

Tree Tree::Object() {
  Tree tree;
  tree.own_ = std::make_shared<Rep>();
  return tree;
}

Tree Tree::Array() {
  Tree tree = Object();
  tree.own_->kind = Kind::kArray;
  return tree;
}

Tree Tree::Own(Value value) {
  if (value.IsObject()) {
    Tree tree = Object();
    for (auto& [name, member] : value.members()) {
      tree.own_->members.emplace_back(std::move(name), Own(std::move(member)));
    }
    return tree;
  }
  if (value.IsArray()) {
    Tree tree = Array();
    for (Value& item : value.items()) {
      tree.own_->items.push_back(Own(std::move(item)));
    }
    return tree;
  }
  Tree tree = Object();
  tree.own_->kind = value.kind();
  tree.own_->scalar = std::move(value);
  return tree;
}

Kind Tree::kind() const {
  if (own_ != nullptr) {
    return own_->kind;
  }
  return borrowed_ != nullptr ? borrowed_->kind() : Kind::kAbsent;
}

bool Tree::IsTrue() const { return kind() == Kind::kBool && scalar().boolean(); }

const Value& Tree::scalar() const {
  CHECK(Exists() && !IsObject() && !IsArray()) << "a scalar is needed";
  return own_ != nullptr ? own_->scalar : *borrowed_;
}

std::string_view Tree::text() const {
  return IsString() ? std::string_view(scalar().string()) : std::string_view();
}

size_t Tree::size() const {
  if (IsObject()) {
    return own_ != nullptr ? own_->members.size() : borrowed_->members().size();
  }
  if (IsArray()) {
    return own_ != nullptr ? own_->items.size() : borrowed_->items().size();
  }
  return 0;
}

std::string_view Tree::name(size_t index) const {
  CHECK(IsObject() && index < size()) << index;
  return own_ != nullptr ? own_->members[index].first : borrowed_->members()[index].first;
}

Tree Tree::at(size_t index) const {
  CHECK(index < size()) << index;
  if (own_ != nullptr) {
    return IsObject() ? own_->members[index].second : own_->items[index];
  }
  return Tree(IsObject() ? &borrowed_->members()[index].second : &borrowed_->items()[index]);
}

Tree Tree::Find(std::string_view name) const {
  if (own_ == nullptr) {
    return Tree(borrowed_ == nullptr ? nullptr : borrowed_->Find(name));
  }
  const auto found = std::find_if(own_->members.begin(), own_->members.end(),
                                  [&](const auto& member) { return member.first == name; });
  return found == own_->members.end() ? Tree() : found->second;
}

Tree::Rep& Tree::Change(Kind kind) {
  if (own_ != nullptr && own_->kind == kind && own_.use_count() == 1) {
    return *own_;
  }
  auto own = std::make_shared<Rep>();
  own->kind = kind;
  if (own_ != nullptr && own_->kind == kind) {
    *own = *own_;
  } else if (own_ == nullptr && this->kind() == kind) {
    const size_t count = size();
    own->members.reserve(kind == Kind::kObject ? count + 1 : 0);
    own->items.reserve(kind == Kind::kArray ? count + 1 : 0);
    for (size_t i = 0; i < count; ++i) {
      if (kind == Kind::kObject) {
        own->members.emplace_back(name(i), at(i));
      } else {
        own->items.push_back(at(i));
      }
    }
  }
  own_ = std::move(own);
  borrowed_ = nullptr;
  return *own_;
}

void Tree::Set(std::string_view name, Tree value) {
  Rep& own = Change(Kind::kObject);
  const auto found = std::find_if(own.members.begin(), own.members.end(),
                                  [&](const auto& member) { return member.first == name; });
  if (found == own.members.end()) {
    own.members.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

void Tree::Add(std::string_view name, Tree value) {
  Change(Kind::kObject).members.emplace_back(name, std::move(value));
}

void Tree::Append(Tree item) { Change(Kind::kArray).items.push_back(std::move(item)); }

bool Tree::Erase(std::string_view name) {
  if (!Find(name).Exists()) {
    return false;
  }
  std::erase_if(Change(Kind::kObject).members,
                [&](const auto& member) { return member.first == name; });
  return true;
}

void Tree::EraseAt(size_t index) {
  auto& items = Change(Kind::kArray).items;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

Tree* Tree::FindToChange(std::string_view name) {
  if (!Find(name).Exists()) {
    return nullptr;
  }
  auto& members = Change(Kind::kObject).members;
  return &std::find_if(members.begin(), members.end(), [&](const auto& member) {
            return member.first == name;
          })->second;
}

Tree* Tree::AtToChange(size_t index) { return &Change(Kind::kArray).items.at(index); }

Value Tree::ToValue() const {
  if (own_ == nullptr) {
    return borrowed_ == nullptr ? Value() : *borrowed_;
  }
  if (IsObject()) {
    Value::Members members;
    members.reserve(own_->members.size());
    for (const auto& [name, member] : own_->members) {
      members.emplace_back(name, member.ToValue());
    }
    return Value::FromMembers(std::move(members));
  }
  if (IsArray()) {
    Value::Items items;
    items.reserve(own_->items.size());
    for (const Tree& item : own_->items) {
      items.push_back(item.ToValue());
    }
    return Value::FromItems(std::move(items));
  }
  return own_->scalar;
}

namespace {

std::vector<size_t> SortedByName(const Tree& object) {
  std::vector<size_t> order(object.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return object.name(a) < object.name(b); });
  return order;
}

// Decided by names alone before any member is compared, so that each is compared once.
bool SameMembers(const Tree& a, const Tree& b) {
  size_t aligned = 0;
  while (aligned < a.size() && a.name(aligned) == b.name(aligned)) {
    ++aligned;
  }
  if (aligned == a.size()) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(a.at(i) == b.at(i))) {
        return false;
      }
    }
    return true;
  }
  const std::vector<size_t> order_a = SortedByName(a);
  const std::vector<size_t> order_b = SortedByName(b);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.name(order_a[i]) != b.name(order_b[i]) || !(a.at(order_a[i]) == b.at(order_b[i]))) {
      return false;
    }
  }
  return true;
}

bool SameItems(const Tree& a, const Tree& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a.at(i) == b.at(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool operator==(const Tree& a, const Tree& b) {
  if (Tree::Same(a, b)) {
    return true;
  }
  if (a.kind() != b.kind() || a.size() != b.size()) {
    return false;
  }
  if (a.IsObject()) {
    return SameMembers(a, b);
  }
  if (a.IsArray()) {
    return SameItems(a, b);
  }
  return a.scalar() == b.scalar();
}

}  // namespace hearth::api::conversion::internal
