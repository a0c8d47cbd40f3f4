#include "admission/rules/reading.h"

#include <cmath>
#include <cstdlib>

#include "base/seeded_hash.h"

namespace hearth::admission {
namespace {

using json::Value;

constexpr double kMaxWhole = 9007199254740992.0;  // 2^53: doubles hold no whole number beyond it

}  // namespace

std::string_view Text(const Value* value) {
  return value != nullptr && value->IsString() ? std::string_view(value->string())
                                               : std::string_view();
}

std::optional<int64_t> Integer(const Value* value) {
  if (value == nullptr || value->kind() != json::Kind::kNumber) {
    return std::nullopt;
  }
  if (const auto whole = value->Int()) {
    return whole;
  }
  const double real = std::strtod(value->number().c_str(), nullptr);
  return std::fabs(real) <= kMaxWhole && std::trunc(real) == real
             ? std::optional<int64_t>(static_cast<int64_t>(real))
             : std::nullopt;
}

bool IsTrue(const Value* value) {
  return value != nullptr && value->kind() == json::Kind::kBool && value->boolean();
}

const Value* ObjectOrNull(const Value* value) {
  return value != nullptr && value->IsObject() ? value : nullptr;
}

const Value* At(const Value* value, std::string_view dotted) {
  return value == nullptr ? nullptr : value->FindPath(dotted);
}

const Value::Items& Items(const Value* value) {
  static const Value::Items kNone;
  return value != nullptr && value->IsArray() ? value->items() : kNone;
}

const Value::Members& Members(const Value* value) {
  static const Value::Members kNone;
  return value != nullptr && value->IsObject() ? value->members() : kNone;
}

const Value& Member(const Value& object, std::string_view name) {
  static const Value kNull;
  const Value* value = object.Find(name);
  return value == nullptr ? kNull : *value;
}

bool Has(const Value& object, std::string_view name) { return !Member(object, name).IsNull(); }

std::string_view Text(const Value& object, std::string_view name) {
  return Text(object.Find(name));
}

std::optional<int64_t> Integer(const Value& object, std::string_view name) {
  return Integer(object.Find(name));
}

const Value::Items& Items(const Value& object, std::string_view name) {
  return Items(object.Find(name));
}

const Value::Members& Members(const Value& object, std::string_view name) {
  return Members(object.Find(name));
}

const Value* Annotation(const Value& object, std::string_view key) {
  const Value* annotations = object.FindPath("metadata.annotations");
  return annotations == nullptr ? nullptr : annotations->Find(key);
}

const Value* FindNamed(const Value* list, std::string_view name) {
  for (const Value& item : Items(list)) {
    const Value* own = item.Find("name");
    if (own != nullptr && own->IsString() && own->string() == name) {
      return &item;
    }
  }
  return nullptr;
}

SeededSet<std::string_view> Names(const Value* list) {
  SeededSet<std::string_view> names;
  for (const Value& item : Items(list)) {
    names.insert(Text(item.Find("name")));
  }
  return names;
}

}  // namespace hearth::admission
