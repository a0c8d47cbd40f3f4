#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace hearth {

// Turns SIGINT and SIGTERM into a stop request. A second signal ends the process at once with 128 +
// its number; so does the first while nobody has asked for the token yet: what starts up may hang
// (a configuration read from a pipe) and has nothing to wind down. Make it first thing in main,
// before any thread starts: it blocks both signals for the threads that follow, and gives this
// thread its old mask back when it goes.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const {
    heeded_ = true;
    return source_.get_token();
  }
  void RequestStop() { source_.request_stop(); }

 private:
  void Watch();

  std::stop_source source_;
  mutable std::atomic<bool> heeded_ = false;  // somebody has the token
  sigset_t previous_mask_;
  int signal_fd_;
  int wake_fd_;
  std::jthread thread_;
};

}  // namespace hearth
