#pragma once

#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace hearth {

// How long a caller is willing to wait: until a deadline, or until told to stop, whichever comes
// first. Every call that can block takes one.
struct WaitLimit {
  SteadyTime deadline = SteadyTime::max();
  std::stop_token stop;

  static WaitLimit Forever() { return {}; }
  static WaitLimit For(Clock& clock, Duration duration, std::stop_token stop = {});

  // The same, but no later than `duration` from now.
  WaitLimit AtMost(Clock& clock, Duration duration) const;
  // Never negative; Duration::max() without a deadline.
  Duration Remaining(const Clock& clock) const;
  bool Expired(const Clock& clock) const {
    return stop.stop_requested() || clock.Now() >= deadline;
  }
  // kCancelled or kDeadlineExceeded with `what` when over, ok otherwise.
  Status Check(const Clock& clock, std::string_view what) const;
};

}  // namespace hearth
