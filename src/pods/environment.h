#pragma once

#include <string_view>
#include <vector>

#include "json/value.h"

// Variables of a container. A value may refer to variables that stand before it, "$(POD_NAME)", so
// their order is never changed: what is replaced stays in its place, what is new comes last.
namespace hearth::pods {

json::Value Variable(std::string_view name, std::string_view value);
// From a field of the pod: "metadata.name".
json::Value FieldVariable(std::string_view name, std::string_view field_path);

const json::Value* FindVariable(const json::Value& container, std::string_view name);

// `entries` win over variables of the same names.
void MergeVariables(json::Value& container, const json::Value::Items& entries);
void SetVariable(json::Value& container, json::Value entry);
// Variables that are there win.
void AddVariables(json::Value& container, const json::Value::Items& entries);
void RemoveVariables(json::Value& container, const std::vector<std::string_view>& names);

}  // namespace hearth::pods
