#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace hearth {

// Durations as Go reads and writes them, which is how Kubernetes objects and options hold them.

// A sign, and numbers with units: 1h30m, 1.5s, 250ms, -2us; "0" needs no unit. kInvalid otherwise,
// or beyond 292 years.
Result<Duration> ParseDuration(std::string_view text);
// "1h30m0s", "1.5s", "250ms", "0s"; ParseDuration gives the same back.
std::string FormatDuration(Duration duration);

}  // namespace hearth
