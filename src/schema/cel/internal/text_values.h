#pragma once

#include <string>
#include <string_view>

#include "cel/value.h"

namespace hearth::schema::internal {

// A string by its format: date and date-time are timestamps, duration a duration, byte the bytes it
// stands for; anything else is text. Borrows plain text.
cel::Value TextValue(const std::string& text, std::string_view format);

}  // namespace hearth::schema::internal
