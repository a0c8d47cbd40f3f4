#pragma once

#include <mutex>

#include "base/clock.h"
#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::kube::internal {

// A token bucket: so many a second in the long run, `burst` at once. Thread-safe.
class RateLimiter {
 public:
  // per_second 0: no limit.
  RateLimiter(double per_second, int burst, Clock& clock);

  // Blocks for a token, in the order of arrival. A caller whose token would come after its deadline
  // is refused at once and takes none.
  Status Acquire(const WaitLimit& limit);

 private:
  // How long until the token that is taken now; nothing is taken when that is longer than
  // `at_most`.
  Duration Take(Duration at_most);

  const double per_second_;
  const double burst_;
  Clock& clock_;
  std::mutex mutex_;
  double tokens_;
  SteadyTime filled_at_;
};

}  // namespace hearth::kube::internal
