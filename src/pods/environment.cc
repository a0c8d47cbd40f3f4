#include "pods/environment.h"

#include <algorithm>
#include <utility>

#include "pods/lists.h"

namespace hearth::pods {

using json::Value;

Value Variable(std::string_view name, std::string_view value) {
  return Value::Object({{"name", name}, {"value", value}});
}

Value FieldVariable(std::string_view name, std::string_view field_path) {
  return Value::Object(
      {{"name", name},
       {"valueFrom", Value::Object({{"fieldRef", Value::Object({{"fieldPath", field_path}})}})}});
}

const Value* FindVariable(const Value& container, std::string_view name) {
  return FindNamed(container, "env", name);
}

void MergeVariables(Value& container, const Value::Items& entries) {
  for (const Value& entry : entries) {
    SetVariable(container, entry);
  }
}

void SetVariable(Value& container, Value entry) { SetNamed(container, "env", std::move(entry)); }

void AddVariables(Value& container, const Value::Items& entries) {
  for (const Value& entry : entries) {
    if (FindVariable(container, Text(entry, "name")) == nullptr) {
      MakeItems(container, "env").push_back(entry);
    }
  }
}

void RemoveVariables(Value& container, const std::vector<std::string_view>& names) {
  if (Value* const env = container.Find("env"); env != nullptr && env->IsArray()) {
    std::erase_if(env->items(), [&](const Value& entry) {
      return std::find(names.begin(), names.end(), Text(entry, "name")) != names.end();
    });
  }
}

}  // namespace hearth::pods
