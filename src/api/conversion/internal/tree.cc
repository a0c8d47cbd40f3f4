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

bool IsSortedByName(const Tree& object) {
  for (size_t i = 1; i < object.size(); ++i) {
    if (object.name(i) < object.name(i - 1)) {
      return false;
    }
  }
  return true;
}

void AppendMember(const Tree& object, size_t index, std::string& text) {
  text += text.back() == '{' ? "" : ",";
  json::AppendQuoted(text, object.name(index));
  text += ':';
  object.at(index).AppendCanonical(text);
}

void AppendMembers(const Tree& object, std::string& text) {
  text += '{';
  if (IsSortedByName(object)) {
    for (size_t i = 0; i < object.size(); ++i) {
      AppendMember(object, i, text);
    }
  } else {
    for (const size_t i : SortedByName(object)) {
      AppendMember(object, i, text);
    }
  }
  text += '}';
}

void AppendItems(const Tree& list, std::string& text) {
  text += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    text += i == 0 ? "" : ",";
    list.at(i).AppendCanonical(text);
  }
  text += ']';
}

}  // namespace

std::vector<size_t> SortedByName(const Tree& object) {
  std::vector<size_t> order(object.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return object.name(a) < object.name(b); });
  return order;
}

bool Tree::IsTrue() const { return kind() == Kind::kBool && scalar().boolean(); }

const Value& Tree::scalar() const {
  CHECK(value_ != nullptr && !IsObject() && !IsArray()) << "a scalar is needed";
  return *value_;
}

std::string_view Tree::text() const {
  return IsString() ? std::string_view(value_->string()) : std::string_view();
}

Tree Tree::Find(std::string_view name) const {
  if (!IsObject()) {
    return Tree();
  }
  if (!IsNew()) {
    // The last of its name, as values have it.
    const json::Value::Members& members = this->members();
    for (size_t i = members.size(); i-- > 0;) {
      if (SameName(members[i].first, name)) {
        return Tree(&members[i].second);
      }
    }
    return Tree();
  }
  for (size_t i = 0; i < node().size; ++i) {
    if (SameName(node().members[i].name, name)) {
      return node().members[i].value;
    }
  }
  return Tree();
}

Value Tree::ToValue() const {
  if (inner_ == nullptr || !IsNew()) {
    return value_ == nullptr ? Value() : *value_;
  }
  if (IsObject()) {
    Value::Members members;
    members.reserve(node().size);
    for (size_t i = 0; i < node().size; ++i) {
      members.emplace_back(node().members[i].name, node().members[i].value.ToValue());
    }
    return Value::FromMembers(std::move(members));
  }
  Value::Items items;
  items.reserve(node().size);
  for (size_t i = 0; i < node().size; ++i) {
    items.push_back(node().items[i].ToValue());
  }
  return Value::FromItems(std::move(items));
}

std::string Tree::WriteCanonical() const {
  std::string text;
  AppendCanonical(text);
  return text;
}

void Tree::AppendCanonical(std::string& text) const {
  switch (kind()) {
    case Kind::kObject:
      return AppendMembers(*this, text);
    case Kind::kArray:
      return AppendItems(*this, text);
    case Kind::kString:
      return json::AppendQuoted(text, this->text());
    case Kind::kNumber:
      text += scalar().number();
      return;
    case Kind::kBool:
      text += IsTrue() ? "true" : "false";
      return;
    default:
      text += "null";
  }
}

}  // namespace hearth::api::conversion::internal
