#pragma once

#include <poll.h>

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth {

// poll() that ends at a WaitLimit of the machine's clock, also when told to stop while it sleeps.
// Not thread-safe.
class LimitedPoll {
 public:
  static Result<LimitedPoll> Make(const WaitLimit& limit);

  // Ok once at least one of `fds` is ready, as their revents tell. kCancelled or kDeadlineExceeded
  // with `what` when the limit is over.
  Status Wait(std::span<pollfd> fds, std::string_view what);

 private:
  LimitedPoll(const WaitLimit& limit, UniqueFd stopped);
  bool Sleep(std::span<pollfd> fds);

  WaitLimit limit_;
  UniqueFd stopped_;  // an eventfd: readable once stopped
  // By pointer, because it cannot move.
  std::unique_ptr<std::stop_callback<std::function<void()>>> callback_;
};

}  // namespace hearth
