#include "gms/client/internal/waiter.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

namespace hearth::gms::internal {
namespace {

timespec ToTimespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = static_cast<time_t>(seconds.count()),
          .tv_nsec = static_cast<long>((duration - seconds).count())};
}

void Raise(int fd) {
  const uint64_t one = 1;
  [[maybe_unused]] ssize_t written = ::write(fd, &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<Waiter>> Waiter::Make(std::stop_token stop) {
  UniqueFd stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopped.valid()) {
    return Status::FromErrno(errno, "make an eventfd");
  }
  return std::unique_ptr<Waiter>(new Waiter(std::move(stop), std::move(stopped)));
}

Waiter::Waiter(std::stop_token stop, UniqueFd stopped)
    : stop_(std::move(stop)),
      stopped_(std::move(stopped)),
      callback_(stop_, [fd = stopped_.get()] { Raise(fd); }) {}

Status Waiter::Wait(int fd, int16_t events, SteadyTime deadline, std::string_view what) {
  std::array<pollfd, 2> fds{{{.fd = fd, .events = events, .revents = 0},
                             {.fd = stopped_.get(), .events = POLLIN, .revents = 0}}};
  const WaitLimit limit{.deadline = deadline, .stop = stop_};
  while (true) {
    // A deadline that has passed still looks once: what has arrived counts.
    const Duration remaining = limit.Remaining(RealClock());
    const timespec timeout = remaining == Duration::max() ? timespec{} : ToTimespec(remaining);
    const int ready =
        ::ppoll(fds.data(), fds.size(), remaining == Duration::max() ? nullptr : &timeout, nullptr);
    if (ready > 0 && fds[0].revents != 0 && fds[1].revents == 0) {
      return {};
    }
    RETURN_IF_ERROR(limit.Check(RealClock(), what));
  }
}

}  // namespace hearth::gms::internal
