#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"

namespace hearth::net {

// One thread that does all socket work and timers (Asio behind it). Callbacks run on that thread,
// one at a time, and must not block. Stops and joins when it goes; work posted after that is
// dropped.
class EventLoop {
 public:
  // `name` is the thread's name, 15 characters at most.
  explicit EventLoop(const std::string& name);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Thread-safe. Runs soon, in the order posted.
  void Post(std::function<void()> work);
  // Thread-safe. Runs after `delay` unless the handle goes first. Destroying the handle on the loop
  // thread guarantees that the callback will not run; from another thread it may be running at that
  // moment.
  class Timer;
  std::unique_ptr<Timer> After(Duration delay, std::function<void()> work);

  bool OnLoopThread() const;
  // Ends the thread; waits for the running callback. Not from the loop itself.
  void Stop();

  struct Impl;  // net/internal/event_loop_impl.h
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

class EventLoop::Timer {
 public:
  ~Timer();
  struct Impl;
  explicit Timer(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace hearth::net
