#include "gms/failover/internal/flock_wait.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <cerrno>
#include <csignal>

namespace hearth::gms::internal {
namespace {

void DoNothing(int /*signal*/) {}

// A signal that nobody in this process uses, whose only effect is that a blocked call returns.
int WakeSignal() {
  static const int chosen = [] {
    for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
      struct sigaction current {};
      if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) {
        struct sigaction quiet {};
        quiet.sa_handler = &DoNothing;  // without SA_RESTART
        ::sigaction(signal, &quiet, nullptr);
        return signal;
      }
    }
    return 0;
  }();
  return chosen;
}

// The signal reaches this thread even if its owner blocks all signals.
class Unblocked {
 public:
  explicit Unblocked(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &set, &before_);
  }
  ~Unblocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Unblocked(const Unblocked&) = delete;
  Unblocked& operator=(const Unblocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Result<std::unique_ptr<FlockWait>> FlockWait::Prepare(int fd) {
  UniqueFd nothing(::memfd_create("nothing", MFD_CLOEXEC));
  if (!nothing.valid()) {
    return Status::FromErrno(errno, "cannot prepare to wait for a lock");
  }
  if (WakeSignal() == 0) {
    return ExhaustedError("every real-time signal is taken: a wait for a lock could not be ended");
  }
  return std::unique_ptr<FlockWait>(new FlockWait(fd, std::move(nothing)));
}

bool FlockWait::Enter() {
  std::lock_guard lock(mutex_);
  running_ = true;
  thread_ = ::pthread_self();
  return !called_off_;
}

bool FlockWait::Leave() {
  std::lock_guard lock(mutex_);
  running_ = false;
  return !called_off_;
}

bool FlockWait::called_off() {
  std::lock_guard lock(mutex_);
  return called_off_;
}

Status FlockWait::Run() {
  Unblocked unblocked(WakeSignal());
  int error = 0;
  if (Enter()) {
    do {
      error = ::flock(fd_, LOCK_EX) == 0 ? 0 : errno;
    } while (error == EINTR && !called_off());  // other signals come, too
  }
  if (!Leave()) {
    return CancelledError("the wait for the lock was called off");
  }
  return error == 0 ? Status::Ok() : Status::FromErrno(error, "flock");
}

// First the descriptor becomes another file, then the signal: whether the thread was in the call
// already, and is woken, or enters it only now, and gets a lock that means nothing, it returns.
// A lock that came at this very moment goes with the file.
void FlockWait::CallOff() {
  std::lock_guard lock(mutex_);
  if (running_ && !called_off_) {
    ::dup3(nothing_.get(), fd_, O_CLOEXEC);
    ::pthread_kill(thread_, WakeSignal());
  }
  called_off_ = true;
}

}  // namespace hearth::gms::internal
