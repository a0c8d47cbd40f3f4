#include "base/wait_limit.h"

#include <algorithm>
#include <string>
#include <utility>

namespace hearth {

WaitLimit WaitLimit::For(Clock& clock, Duration duration, std::stop_token stop) {
  return {.deadline = TimeAfter(clock.Now(), duration), .stop = std::move(stop)};
}

WaitLimit WaitLimit::AtMost(Clock& clock, Duration duration) const {
  return {.deadline = std::min(deadline, TimeAfter(clock.Now(), duration)), .stop = stop};
}

Duration WaitLimit::Remaining(const Clock& clock) const {
  if (deadline == SteadyTime::max()) {
    return Duration::max();
  }
  return std::max(deadline - clock.Now(), Duration::zero());
}

Status WaitLimit::Check(const Clock& clock, std::string_view what) const {
  if (stop.stop_requested()) {
    return CancelledError(std::string(what) + ": stopped");
  }
  if (clock.Now() >= deadline) {
    return DeadlineError(std::string(what) + ": deadline exceeded");
  }
  return {};
}

}  // namespace hearth
