#include "api/conversion/internal/tree.h"

#include <algorithm>
#include <bit>
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

// Writes canonical JSON, and counts what sorting takes.
class Writer {
 public:
  explicit Writer(std::string& text) : text_(text) {}

  void Append(const Tree& tree) {
    switch (tree.kind()) {
      case Kind::kObject:
        return AppendMembers(tree);
      case Kind::kArray:
        return AppendItems(tree);
      case Kind::kString:
        return json::AppendQuoted(text_, tree.text());
      case Kind::kNumber:
        text_ += tree.scalar().number();
        return;
      case Kind::kBool:
        text_ += tree.IsTrue() ? "true" : "false";
        return;
      default:
        text_ += "null";
    }
  }

  size_t looks() const { return looks_; }

 private:
  void AppendMember(const Tree& object, size_t index) {
    text_ += text_.back() == '{' ? "" : ",";
    json::AppendQuoted(text_, object.name(index));
    text_ += ':';
    Append(object.at(index));
  }

  void AppendMembers(const Tree& object) {
    text_ += '{';
    if (IsSortedByName(object)) {
      for (size_t i = 0; i < object.size(); ++i) {
        AppendMember(object, i);
      }
    } else {
      looks_ += NameLooks(object) * std::bit_width(object.size());
      for (const size_t i : SortedByName(object)) {
        AppendMember(object, i);
      }
    }
    text_ += '}';
  }

  void AppendItems(const Tree& list) {
    text_ += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      text_ += i == 0 ? "" : ",";
      Append(list.at(i));
    }
    text_ += ']';
  }

  std::string& text_;
  size_t looks_ = 0;
};

}  // namespace

size_t NameLooks(const Tree& object) {
  const size_t size = object.size();
  size_t looks = size;
  for (size_t i = 0; i < size; ++i) {
    looks += object.name(i).size() / kBytesPerLook;
  }
  return looks;
}

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

std::string Tree::WriteCanonical(size_t& looks) const {
  std::string text;
  Writer writer(text);
  writer.Append(*this);
  looks += writer.looks();
  return text;
}

void Tree::AppendCanonical(std::string& text) const { Writer(text).Append(*this); }

}  // namespace hearth::api::conversion::internal
