#include "api/conversion/internal/tree.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "json/builder.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Kind;
using json::Value;

std::vector<size_t> SortedByName(const Tree& object) {
  std::vector<size_t> order(object.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return object.name(a) < object.name(b); });
  return order;
}

bool SameNames(const Tree& a, const Tree& b) {
  const size_t size = a.size();
  for (size_t i = 0; i < size; ++i) {
    if (a.name(i) != b.name(i)) {
      return false;
    }
  }
  return true;
}

bool SameChildren(const Tree& a, const Tree& b) {
  const size_t size = a.size();
  for (size_t i = 0; i < size; ++i) {
    if (!(a.at(i) == b.at(i))) {
      return false;
    }
  }
  return true;
}

// For few members: looking for each costs less than sorting.
bool SameFoundMembers(const Tree& a, const Tree& b) {
  const size_t size = a.size();
  for (size_t i = 0; i < size; ++i) {
    const Tree other = b.Find(a.name(i));
    if (!other.Exists() || !(a.at(i) == other)) {
      return false;
    }
  }
  return true;
}

// Which members belong together is decided by names alone, so that each is compared once.
bool SameMembers(const Tree& a, const Tree& b) {
  constexpr size_t kFew = 32;
  if (SameNames(a, b)) {
    return SameChildren(a, b);
  }
  if (a.size() <= kFew) {
    return SameFoundMembers(a, b);
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

}  // namespace

bool Tree::IsTrue() const { return kind() == Kind::kBool && scalar().boolean(); }

const Value& Tree::scalar() const {
  CHECK(value_ != nullptr && !IsObject() && !IsArray()) << "a scalar is needed";
  return *value_;
}

std::string_view Tree::text() const {
  return IsString() ? std::string_view(value_->string()) : std::string_view();
}

size_t Tree::size() const {
  if (node_ != nullptr) {
    return node_->size;
  }
  switch (kind()) {
    case Kind::kObject:
      return value_->members().size();
    case Kind::kArray:
      return value_->items().size();
    default:
      return 0;
  }
}

std::string_view Tree::name(size_t index) const {
  return node_ != nullptr ? node_->members[index].name
                          : std::string_view(value_->members()[index].first);
}

Tree Tree::at(size_t index) const {
  if (node_ != nullptr) {
    return node_->is_object ? node_->members[index].value : node_->items[index];
  }
  return Tree(IsObject() ? &value_->members()[index].second : &value_->items()[index]);
}

Tree Tree::Find(std::string_view name) const {
  if (node_ == nullptr) {
    return Tree(value_ == nullptr ? nullptr : value_->Find(name));
  }
  for (size_t i = 0; node_->is_object && i < node_->size; ++i) {
    if (node_->members[i].name == name) {
      return node_->members[i].value;
    }
  }
  return Tree();
}

Value Tree::ToValue() const {
  if (node_ == nullptr) {
    return value_ == nullptr ? Value() : *value_;
  }
  if (node_->is_object) {
    Value::Members members;
    members.reserve(node_->size);
    for (size_t i = 0; i < node_->size; ++i) {
      members.emplace_back(node_->members[i].name, node_->members[i].value.ToValue());
    }
    return Value::FromMembers(std::move(members));
  }
  Value::Items items;
  items.reserve(node_->size);
  for (size_t i = 0; i < node_->size; ++i) {
    items.push_back(node_->items[i].ToValue());
  }
  return Value::FromItems(std::move(items));
}

std::string Tree::WriteCanonical() const {
  if (node_ == nullptr) {
    return value_ == nullptr ? "null" : value_->WriteCanonical();
  }
  std::string text(1, node_->is_object ? '{' : '[');
  const auto order = node_->is_object ? SortedByName(*this) : std::vector<size_t>();
  for (size_t i = 0; i < node_->size; ++i) {
    if (i > 0) {
      text += ',';
    }
    if (node_->is_object) {
      json::AppendQuoted(text, name(order[i]));
      text += ':';
    }
    text += at(node_->is_object ? order[i] : i).WriteCanonical();
  }
  text += node_->is_object ? '}' : ']';
  return text;
}

bool operator==(const Tree& a, const Tree& b) {
  if (Tree::Same(a, b)) {
    return true;
  }
  const Kind kind = a.kind();
  if (kind != b.kind() || a.size() != b.size()) {
    return false;
  }
  if (kind == Kind::kObject) {
    return SameMembers(a, b);
  }
  return kind == Kind::kArray ? SameChildren(a, b) : a.scalar() == b.scalar();
}

}  // namespace hearth::api::conversion::internal
