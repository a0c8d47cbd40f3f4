#pragma once

#include <string>

#include "json/value.h"

namespace hearth::schema::internal {

// A value as the server writes it into messages: names sorted, numbers as it holds them, and <, >
// and & escaped. Equal texts are equal JSON.
void AppendGoJson(std::string& out, const json::Value& value);
std::string GoJson(const json::Value& value);
// As Go's %v prints it: map[a:1 b:[x <nil>]].
std::string GoPrint(const json::Value& value);

}  // namespace hearth::schema::internal
