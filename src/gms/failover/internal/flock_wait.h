#pragma once

#include <pthread.h>

#include <memory>
#include <mutex>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::gms::internal {

// One wait for an exclusive flock that can be called off. The kernel wakes the waiting thread
// itself, with nothing in between and nothing polled. For one Run.
class FlockWait {
 public:
  // `fd` is borrowed: an open file whose descriptor nobody else uses, until Run has returned.
  static Result<std::unique_ptr<FlockWait>> Prepare(int fd);

  // Blocks this thread. Ok: `fd` has the lock. kCancelled: it was called off; the lock is not held,
  // and `fd` is another file now, good only for being closed.
  Status Run();
  // From any thread, at any time, as often as wanted.
  void CallOff();

 private:
  FlockWait(int fd, UniqueFd nothing) : fd_(fd), nothing_(std::move(nothing)) {}
  bool Enter();
  bool Leave();
  bool called_off();

  const int fd_;
  UniqueFd nothing_;  // a file that nobody else can lock
  std::mutex mutex_;
  bool running_ = false;
  bool called_off_ = false;
  pthread_t thread_{};  // while running
};

}  // namespace hearth::gms::internal
