#pragma once

#include <string_view>

#include "cel/value.h"

namespace hearth::cel {

// What timestamp("2026-01-02T03:04:05Z") and duration("1h30m") give: an error value when it is
// none.
Value TimestampOf(std::string_view text);
Value DurationOf(std::string_view text);

}  // namespace hearth::cel
