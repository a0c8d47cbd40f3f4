#pragma once

#include <atomic>

#include "base/clock.h"

namespace hearth {

// The machine's clocks, of which a test moves one while they run: what is over then is over sooner.
// Thread-safe.
class MovedClock : public Clock {
 public:
  SteadyTime Now() const override { return RealClock().Now() + steady_.load(); }
  WallTime WallNow() const override { return RealClock().WallNow() + wall_.load(); }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                 SteadyTime until) override {
    RealClock().WaitUntil(lock, cv, until == SteadyTime::max() ? until : until - steady_.load());
  }

  // Time passes at once. Who waits already is not woken.
  void Advance(Duration by) { steady_ = steady_.load() + by; }
  // Somebody sets the clock on the wall, forwards or back.
  void SetWall(Duration by) { wall_ = wall_.load() + by; }

 private:
  std::atomic<Duration> steady_ = Duration(0);
  std::atomic<Duration> wall_ = Duration(0);
};

}  // namespace hearth
