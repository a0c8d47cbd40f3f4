#include "snapshot/protocol/internal/pod_fields.h"

#include <fmt/format.h>

#include <utility>

#include "snapshot/protocol/names.h"

namespace hearth::snapshot::internal {

using json::Value;

const Value* FindItem(const Value& object, std::string_view list, std::string_view key,
                      std::string_view value) {
  const Value* const items = object.Find(list);
  if (items == nullptr || !items->IsArray()) {
    return nullptr;
  }
  for (const Value& item : items->items()) {
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

void AddUnlessThere(Value& object, std::string_view list, std::string_view key, Value item) {
  if (FindItem(object, list, key, item.Find(key)->string()) == nullptr) {
    object[list].Append(std::move(item));
  }
}

void SetEnv(Value& container, std::string_view name, std::string_view value) {
  Value entry = Value::Object({{"name", name}, {"value", value}});
  if (Value* const there = FindItem(container, "env", "name", name); there != nullptr) {
    *there = std::move(entry);
  } else {
    container["env"].Append(std::move(entry));
  }
}

void SetLabel(Value& object, std::string_view key, std::string_view value) {
  object.MakePath("metadata.labels").Set(key, value);
}

void SetAnnotation(Value& object, std::string_view key, std::string_view value) {
  object.MakePath("metadata.annotations").Set(key, value);
}

Value FileProbe(std::string_view file) {
  return Value::Object(
      {{"exec",
        Value::Object(
            {{"command", Value::Array({"cat", fmt::format("{}/{}", kControlDirectory, file)})}})}});
}

}  // namespace hearth::snapshot::internal
