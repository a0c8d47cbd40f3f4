#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::gms::internal {

// Waits for a descriptor, with a deadline of the machine's clock and a stop that ends every wait.
// Made once per connection, so that a wait is one system call. One thread at a time.
class Waiter {
 public:
  static Result<std::unique_ptr<Waiter>> Make(std::stop_token stop);
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Ok once `fd` is ready for `events` or has failed. kCancelled, kDeadlineExceeded with `what`.
  Status Wait(int fd, int16_t events, SteadyTime deadline, std::string_view what);

 private:
  Waiter(std::stop_token stop, UniqueFd stopped);

  std::stop_token stop_;
  UniqueFd stopped_;  // an eventfd: readable once stopped
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace hearth::gms::internal
