#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "http/message.h"

namespace hearth::kube {

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form of HTTP dates that may be sent. Nothing for
// anything else.
std::optional<WallTime> ParseHttpDate(std::string_view text);

// How long an answer's Retry-After asks to wait: seconds, or a date, which counts from the answer's
// own Date or else from `now`. Nothing when there is none or it makes no sense. Never negative.
std::optional<std::chrono::milliseconds> RetryAfter(const http::Headers& headers,
                                                    std::optional<WallTime> now = std::nullopt);

}  // namespace hearth::kube
