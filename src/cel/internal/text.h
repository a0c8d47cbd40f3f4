#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace hearth::cel::internal {

// How a value reads in a message: strings bare, numbers as string() gives them, the kind's name for
// what has no short form.
std::string TextOf(const Value& value);

// As string() gives it: the fewest digits that read back the same, with an exponent below 1e-4 and
// from 1e+06 on, "+Inf", "-Inf" and "NaN".
std::string DoubleText(double value);

// "1.5s": seconds, whatever the length.
std::string DurationText(std::chrono::nanoseconds duration);

// RFC 3339 in UTC with as many digits of the fraction as it takes.
std::string TimestampText(Timestamp time);

// In double quotes, with Go's escapes; printable characters stay.
std::string Quoted(std::string_view text);

}  // namespace hearth::cel::internal
