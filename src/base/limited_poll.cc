#include "base/limited_poll.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

namespace hearth {
namespace {

timespec ToTimespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<long>((duration - seconds).count())};
}

}  // namespace

Result<LimitedPoll> LimitedPoll::Make(const WaitLimit& limit) {
  UniqueFd stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopped.valid()) {
    return Status::FromErrno(errno, "make an eventfd");
  }
  return LimitedPoll(limit, std::move(stopped));
}

LimitedPoll::LimitedPoll(const WaitLimit& limit, UniqueFd stopped)
    : limit_(limit), stopped_(std::move(stopped)) {
  callback_ = std::make_unique<std::stop_callback<std::function<void()>>>(
      limit_.stop, [fd = stopped_.get()] {
        const uint64_t one = 1;
        [[maybe_unused]] ssize_t written = ::write(fd, &one, sizeof one);
      });
}

Status LimitedPoll::Wait(std::span<pollfd> fds, std::string_view what) {
  while (true) {
    RETURN_IF_ERROR(limit_.Check(RealClock(), what));
    if (Sleep(fds)) {
      return {};
    }
  }
}

// True when one of `fds` is ready.
bool LimitedPoll::Sleep(std::span<pollfd> fds) {
  std::vector<pollfd> all(fds.begin(), fds.end());
  all.push_back({.fd = stopped_.get(), .events = POLLIN, .revents = 0});
  const Duration remaining = limit_.Remaining(RealClock());
  const timespec timeout = ToTimespec(remaining);
  const int ready =
      ::ppoll(all.data(), all.size(), remaining == Duration::max() ? nullptr : &timeout, nullptr);
  if (ready <= 0) {
    return false;  // the time is over, or a signal came
  }
  std::copy_n(all.begin(), fds.size(), fds.begin());
  return std::any_of(fds.begin(), fds.end(), [](const pollfd& fd) { return fd.revents != 0; });
}

}  // namespace hearth
