#include "admission/dynamo/internal/reading.h"

namespace hearth::admission::dynamo {

using json::Value;

std::string_view Text(const Value* value) {
  return value != nullptr && value->IsString() ? std::string_view(value->string())
                                               : std::string_view();
}

std::optional<int64_t> Integer(const Value* value) {
  return value == nullptr ? std::nullopt : value->Int();
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

std::unordered_set<std::string_view> Names(const Value* list) {
  std::unordered_set<std::string_view> names;
  for (const Value& item : Items(list)) {
    names.insert(Text(item.Find("name")));
  }
  return names;
}

}  // namespace hearth::admission::dynamo
