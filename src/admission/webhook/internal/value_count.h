#pragma once

#include <cstddef>
#include <string_view>

#include "json/value.h"

namespace hearth::admission::webhook::internal {

// How many values reading `text` would make, containers and what they hold, or more: an empty
// container counts twice. Counted without reading, so that a text of which every two bytes become a
// value is refused before it takes twenty times its size. A text that is no JSON has any number.
size_t MostValues(std::string_view text);

// How many there are in one that was read, itself included.
size_t CountValues(const json::Value& value);

}  // namespace hearth::admission::webhook::internal
