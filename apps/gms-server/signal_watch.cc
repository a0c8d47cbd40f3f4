#include "signal_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace hearth::gms::server {

SignalWatch::SignalWatch(int fd) : over_(::eventfd(0, EFD_CLOEXEC)) {
  if (!over_.valid()) {
    return;  // a thread could not be told that it is over
  }
  try {
    thread_ = std::thread([this, fd] {
      pollfd fds[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                      {.fd = over_.get(), .events = POLLIN, .revents = 0}};
      while (::poll(fds, 2, -1) < 0 && errno == EINTR) {
      }
      if (fds[0].revents != 0) {
        stop_.request_stop();
      }
    });
  } catch (const std::system_error&) {
  }
}

SignalWatch::~SignalWatch() {
  const uint64_t one = 1;
  (void)!::write(over_.get(), &one, sizeof(one));
  if (thread_.joinable()) {
    thread_.join();
  }
}

}  // namespace hearth::gms::server
