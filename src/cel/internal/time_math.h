#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace hearth::cel::internal {

// + and - of durations and timestamps; an error value when out of range or for other operands.
Value AddTimes(const Value& a, const Value& b);
Value SubtractTimes(const Value& a, const Value& b);

// Seconds since 1970 as a timestamp; an error value outside the years 1 to 9999.
Value TimestampFromSeconds(int64_t seconds);

// RFC 3339 with any offset; an error value otherwise.
Value ParseTimestamp(std::string_view text);

// Seconds east of UTC that a time zone stands for: "UTC", "+02:00", "-08:30", "02:00". Nothing for
// others: names of places would need a database.
std::optional<int64_t> ZoneOffset(std::string_view zone);

}  // namespace hearth::cel::internal
