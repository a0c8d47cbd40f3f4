#pragma once

#include <string_view>

#include "json/value.h"

// Small steps on pod specs and metadata.
namespace hearth::snapshot::internal {

// The item of a list whose `key` is `value`; null when there is none.
json::Value* FindItem(json::Value& object, std::string_view list, std::string_view key,
                      std::string_view value);
const json::Value* FindItem(const json::Value& object, std::string_view list, std::string_view key,
                            std::string_view value);
// Appends `item` unless there is one with its `key`.
void AddUnlessThere(json::Value& object, std::string_view list, std::string_view key,
                    json::Value item);
// Entry of env with exactly this value, whatever was there.
void SetEnv(json::Value& container, std::string_view name, std::string_view value);

// Entries of metadata.labels and metadata.annotations.
void SetLabel(json::Value& object, std::string_view key, std::string_view value);
void SetAnnotation(json::Value& object, std::string_view key, std::string_view value);

// An exec probe that reads a file of the control directory.
json::Value FileProbe(std::string_view file);

}  // namespace hearth::snapshot::internal
