#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"

namespace hearth::kube::internal {

// How to go on after a failed try.
struct RetryAdvice {
  bool again = false;
  std::optional<std::chrono::milliseconds>
      wait;  // what the server asked for; nothing: our own backoff
};

// `failure` is what the answer means. Reads may go again whenever the server is in trouble; writes
// only where it has certainly not acted: 429, 503 with Retry-After, no connection.
RetryAdvice AdviseRetry(std::string_view method, const Result<http::Response>& answer,
                        const Status& failure, WallTime now);

}  // namespace hearth::kube::internal
