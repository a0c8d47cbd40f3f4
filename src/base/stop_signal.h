#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace hearth {

// Turns SIGINT and SIGTERM into a stop request; a second signal ends the process at once with 128 +
// its number. Make it first thing in main, before any thread starts: it blocks both signals for the
// threads that follow, and gives this thread its old mask back when it goes.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  void RequestStop() { source_.request_stop(); }

 private:
  void Watch();

  std::stop_source source_;
  sigset_t previous_mask_;
  int signal_fd_;
  int wake_fd_;
  std::jthread thread_;
};

}  // namespace hearth
