#include "base/stop_signal.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "base/check.h"

namespace hearth {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// The number of the signal that arrived; 0 when woken to end.
int AwaitSignal(int signal_fd, int wake_fd) {
  std::array<pollfd, 2> fds = {{{signal_fd, POLLIN, 0}, {wake_fd, POLLIN, 0}}};
  while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
  }
  signalfd_siginfo info{};
  if (fds[1].revents != 0 || ::read(signal_fd, &info, sizeof info) != sizeof info) {
    return 0;
  }
  return static_cast<int>(info.ssi_signo);
}

}  // namespace

StopSignal::StopSignal() {
  const sigset_t signals = StopSignals();
  CHECK(::pthread_sigmask(SIG_BLOCK, &signals, &previous_mask_) == 0);
  signal_fd_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC);
  CHECK(signal_fd_ >= 0 && wake_fd_ >= 0) << "no file descriptors left at the start";
  thread_ = std::jthread([this] { Watch(); });
  ::pthread_setname_np(thread_.native_handle(), "stop-signal");
}

StopSignal::~StopSignal() {
  const uint64_t one = 1;
  CHECK(::write(wake_fd_, &one, sizeof one) == sizeof one);
  thread_.join();
  ::close(signal_fd_);
  ::close(wake_fd_);
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void StopSignal::Watch() {
  int number = AwaitSignal(signal_fd_, wake_fd_);
  if (number != 0 && heeded_) {
    source_.request_stop();
    number = AwaitSignal(signal_fd_, wake_fd_);
  }
  if (number != 0) {
    // Whoever asks twice does not want to wait for destructors.
    ::_exit(128 + number);
  }
}

}  // namespace hearth
