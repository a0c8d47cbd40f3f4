#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/wait_limit.h"

namespace hearth {

// Lets work in until it is closed, then waits for the work inside to leave. An object that others
// call from their threads owns a Gate and closes it before it goes. Thread-safe.
class Gate {
 public:
  // Held while inside; leaving is its destruction.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept;
    ~Pass();

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    Gate* gate_;
  };

  // Nothing once closed.
  std::optional<Pass> Enter();
  // Closes, and waits until everybody has left. kDeadlineExceeded or kCancelled when somebody is
  // still inside; closed all the same.
  Status Close(Clock& clock, const WaitLimit& limit);
  bool closed() const;
  int inside() const;

 private:
  void Leave();

  mutable std::mutex mutex_;
  std::condition_variable left_;
  int inside_ = 0;
  bool closed_ = false;
};

}  // namespace hearth
