#include "kube/client/internal/rate_limiter.h"

#include <algorithm>
#include <chrono>

namespace hearth::kube::internal {

using Seconds = std::chrono::duration<double>;

RateLimiter::RateLimiter(double per_second, int burst, Clock& clock)
    : per_second_(per_second),
      burst_(std::max(1, burst)),
      clock_(clock),
      tokens_(burst_),
      filled_at_(clock.Now()) {}

Status RateLimiter::Acquire(const WaitLimit& limit) {
  if (per_second_ <= 0) {
    return Status::Ok();
  }
  const Duration at_most = limit.Remaining(clock_);
  const Duration wait = Take(at_most);
  if (wait > at_most) {
    return DeadlineError("our own limit on requests leaves no room before the deadline");
  }
  if (wait > Duration::zero() && !SleepFor(clock_, wait, limit.stop)) {
    return CancelledError("stopped while waiting for our own limit on requests");
  }
  return Status::Ok();
}

Duration RateLimiter::Take(Duration at_most) {
  std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.Now();
  tokens_ = std::min(burst_, tokens_ + Seconds(now - filled_at_).count() * per_second_);
  filled_at_ = now;
  // Below zero are tokens that others wait for already.
  const double missing = 1 - tokens_;
  const Duration wait =
      missing <= 0 ? Duration::zero() : std::chrono::ceil<Duration>(Seconds(missing / per_second_));
  if (wait <= at_most) {
    tokens_ -= 1;
  }
  return wait;
}

}  // namespace hearth::kube::internal
