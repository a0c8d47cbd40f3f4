#include "pods/lists.h"

#include <utility>

namespace hearth::pods {
namespace {

using json::Value;

void EraseMeta(Value& object, std::string_view map, std::string_view key) {
  Value* const metadata = object.Find("metadata");
  Value* const entries = metadata == nullptr ? nullptr : metadata->Find(map);
  if (entries != nullptr && entries->IsObject()) {
    entries->Erase(key);
  }
}

std::string_view Meta(const Value& object, std::string_view map, std::string_view key) {
  const Value* const metadata = object.Find("metadata");
  const Value* const entries = metadata == nullptr ? nullptr : metadata->Find(map);
  return entries == nullptr ? std::string_view() : Text(*entries, key);
}

}  // namespace

const Value* FindItem(const Value& object, std::string_view list, std::string_view key,
                      std::string_view value) {
  for (const Value& item : Items(object, list)) {
    const Value* const own = item.Find(key);
    if (own != nullptr && own->IsString() && own->string() == value) {
      return &item;
    }
  }
  return nullptr;
}

Value* FindItem(Value& object, std::string_view list, std::string_view key,
                std::string_view value) {
  return const_cast<Value*>(FindItem(std::as_const(object), list, key, value));
}

const Value* FindNamed(const Value& object, std::string_view list, std::string_view name) {
  return FindItem(object, list, "name", name);
}

Value* FindNamed(Value& object, std::string_view list, std::string_view name) {
  return FindItem(object, list, "name", name);
}

void SetNamed(Value& object, std::string_view list, Value item) {
  SetItem(object, list, "name", std::move(item));
}

void SetItem(Value& object, std::string_view list, std::string_view key, Value item) {
  if (Value* const there = FindItem(object, list, key, Text(item, key)); there != nullptr) {
    *there = std::move(item);
  } else {
    MakeItems(object, list).push_back(std::move(item));
  }
}

const Value::Items& Items(const Value& object, std::string_view list) {
  static const Value::Items kNone;
  const Value* const items = object.Find(list);
  return items != nullptr && items->IsArray() ? items->items() : kNone;
}

Value::Items& MakeItems(Value& object, std::string_view list) {
  Value& items = object[list];
  if (!items.IsArray()) {
    items = Value::Array();
  }
  return items.items();
}

std::string_view Text(const Value& object, std::string_view member) {
  const Value* const value = object.Find(member);
  return value != nullptr && value->IsString() ? std::string_view(value->string())
                                               : std::string_view();
}

void SetLabel(Value& object, std::string_view key, std::string_view value) {
  object.MakePath("metadata.labels").Set(key, value);
}

void SetAnnotation(Value& object, std::string_view key, std::string_view value) {
  object.MakePath("metadata.annotations").Set(key, value);
}

void EraseLabel(Value& object, std::string_view key) { EraseMeta(object, "labels", key); }
void EraseAnnotation(Value& object, std::string_view key) { EraseMeta(object, "annotations", key); }

std::string_view Label(const Value& object, std::string_view key) {
  return Meta(object, "labels", key);
}

std::string_view Annotation(const Value& object, std::string_view key) {
  return Meta(object, "annotations", key);
}

}  // namespace hearth::pods
