#pragma once

#include <string_view>

#include "json/value.h"

// Small steps on pod specs and the objects around them. Lists whose items have a name are asked by
// it, never by position.
namespace hearth::pods {

// The item of the list `list` of `object` whose `key` is `value`; null when there is none.
const json::Value* FindItem(const json::Value& object, std::string_view list, std::string_view key,
                            std::string_view value);
json::Value* FindItem(json::Value& object, std::string_view list, std::string_view key,
                      std::string_view value);
// The same by "name".
const json::Value* FindNamed(const json::Value& object, std::string_view list,
                             std::string_view name);
json::Value* FindNamed(json::Value& object, std::string_view list, std::string_view name);

// Puts `item` in the place of the one with its name, else at the end.
void SetNamed(json::Value& object, std::string_view list, json::Value item);
// The same by `key`.
void SetItem(json::Value& object, std::string_view list, std::string_view key, json::Value item);

// The items of a list; none when there is no such list.
const json::Value::Items& Items(const json::Value& object, std::string_view list);
// The list to change, made when it is not there.
json::Value::Items& MakeItems(json::Value& object, std::string_view list);

// The text of a member; empty when it is no text.
std::string_view Text(const json::Value& object, std::string_view member);

// Entries of metadata.labels and metadata.annotations.
void SetLabel(json::Value& object, std::string_view key, std::string_view value);
void SetAnnotation(json::Value& object, std::string_view key, std::string_view value);
void EraseLabel(json::Value& object, std::string_view key);
void EraseAnnotation(json::Value& object, std::string_view key);
std::string_view Label(const json::Value& object, std::string_view key);       // empty: none
std::string_view Annotation(const json::Value& object, std::string_view key);  // empty: none

}  // namespace hearth::pods
