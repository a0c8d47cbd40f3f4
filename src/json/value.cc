#include "json/value.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "json/internal/number.h"
#include "json/internal/value_reader.h"

namespace hearth::json {
namespace {

template <typename T>
Value::Number MakeNumber(void (*append)(std::string&, T), T value) {
  Value::Number number;
  append(number.token, value);
  return number;
}

// Splits off the first name of a dotted path.
std::string_view TakeName(std::string_view& dotted) {
  const size_t dot = dotted.find('.');
  const std::string_view name = dotted.substr(0, dot);
  dotted.remove_prefix(dot == std::string_view::npos ? dotted.size() : dot + 1);
  return name;
}

// Positions of the members, ordered by name; equal names stay in their order.
std::vector<size_t> SortedByName(const Value::Members& members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return members[a].first < members[b].first; });
  return order;
}

bool SameOrder(const Value::Members& a, const Value::Members& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) { return left.first == right.first; });
}

// Looks at each value once: twice would double with every level.
bool SameMembers(const Value::Members& a, const Value::Members& b) {
  if (a.size() != b.size()) {
    return false;
  }
  if (SameOrder(a, b)) {
    return a == b;
  }
  const std::vector<size_t> order_a = SortedByName(a);
  const std::vector<size_t> order_b = SortedByName(b);
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[order_a[i]] == b[order_b[i]])) {
      return false;
    }
  }
  return true;
}

}  // namespace

Value::Value(bool value) : data_(value) {}
Value::Value(int value) : Value(int64_t{value}) {}
Value::Value(int64_t value) : data_(MakeNumber(internal::AppendInt, value)) {}
Value::Value(uint64_t value) : data_(MakeNumber(internal::AppendUint, value)) {}
Value::Value(const char* value) : data_(std::string(value)) {}
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(std::string_view value) : data_(std::string(value)) {}
Value::Value(Number number) : data_(std::move(number)) {}
Value::Value(View view) : Value(internal::ReadValue(view.raw())) {}

Value::Value(double value) {
  if (std::isfinite(value)) {
    data_ = MakeNumber(internal::AppendDouble, value);
  }
}

Value Value::Object(std::initializer_list<Member> members) { return FromMembers(Members(members)); }
Value Value::Array(std::initializer_list<Value> items) { return FromItems(Items(items)); }

Value Value::FromMembers(Members members) {
  Value value;
  value.data_ = std::move(members);
  return value;
}

Value Value::FromItems(Items items) {
  Value value;
  value.data_ = std::move(items);
  return value;
}

Kind Value::kind() const {
  constexpr Kind kKinds[] = {Kind::kNull,   Kind::kBool,  Kind::kNumber,
                             Kind::kString, Kind::kArray, Kind::kObject};
  return kKinds[data_.index()];
}

const Value* Value::Find(std::string_view name) const {
  const auto* members = std::get_if<Members>(&data_);
  if (members == nullptr) {
    return nullptr;
  }
  // From the back: of two members with one name the last counts, as in a View.
  const auto found = std::find_if(members->rbegin(), members->rend(),
                                  [&](const Member& member) { return member.first == name; });
  return found == members->rend() ? nullptr : &found->second;
}

Value* Value::Find(std::string_view name) {
  return const_cast<Value*>(std::as_const(*this).Find(name));
}

Value& Value::operator[](std::string_view name) {
  if (IsNull()) {
    data_ = Members();
  }
  if (Value* found = Find(name); found != nullptr) {
    return *found;
  }
  return members().emplace_back(std::string(name), Value()).second;
}

const Value* Value::FindPath(std::string_view dotted) const {
  const Value* at = this;
  while (at != nullptr && !dotted.empty()) {
    at = at->Find(TakeName(dotted));
  }
  return at;
}

Value& Value::MakePath(std::string_view dotted) {
  Value* at = this;
  while (!dotted.empty()) {
    at = &(*at)[TakeName(dotted)];
  }
  return *at;
}

void Value::Set(std::string_view name, Value value) { (*this)[name] = std::move(value); }

bool Value::Erase(std::string_view name) {
  auto* members = std::get_if<Members>(&data_);
  return members != nullptr &&
         std::erase_if(*members, [&](const Member& member) { return member.first == name; }) > 0;
}

void Value::Append(Value item) {
  if (IsNull()) {
    data_ = Items();
  }
  items().push_back(std::move(item));
}

Value::Members& Value::members() {
  CHECK(IsObject()) << "an object is needed, this is " << KindName(kind());
  return std::get<Members>(data_);
}

const Value::Members& Value::members() const { return const_cast<Value*>(this)->members(); }

Value::Items& Value::items() {
  CHECK(IsArray()) << "an array is needed, this is " << KindName(kind());
  return std::get<Items>(data_);
}

const Value::Items& Value::items() const { return const_cast<Value*>(this)->items(); }

const std::string& Value::string() const {
  CHECK(IsString()) << "a string is needed, this is " << KindName(kind());
  return std::get<std::string>(data_);
}

const std::string& Value::number() const {
  CHECK(kind() == Kind::kNumber) << "a number is needed, this is " << KindName(kind());
  return std::get<Number>(data_).token;
}

bool Value::boolean() const {
  CHECK(kind() == Kind::kBool) << "a boolean is needed, this is " << KindName(kind());
  return std::get<bool>(data_);
}

std::optional<int64_t> Value::Int() const {
  return kind() == Kind::kNumber ? internal::TokenToInt(number()) : std::nullopt;
}

std::string Value::StringOr(std::string_view other) const {
  return IsString() ? string() : std::string(other);
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case Kind::kAbsent:
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kNumber:
      return a.number() == b.number();
    case Kind::kString:
      return a.string() == b.string();
    case Kind::kArray:
      return a.items() == b.items();
    case Kind::kObject:
      return SameMembers(a.members(), b.members());
  }
  return false;
}

}  // namespace hearth::json
