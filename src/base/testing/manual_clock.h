#pragma once

#include <mutex>
#include <vector>

#include "base/clock.h"

namespace hearth {

// A clock whose hands the test turns. Waiters wake when time reaches them. Thread-safe.
class ManualClock : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime(std::chrono::seconds(1'700'000'000)));

  SteadyTime Now() const override;
  WallTime WallNow() const override;
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                 SteadyTime until) override;

  void Advance(Duration by);
  // Blocks the test until `count` threads wait with an end in the future: then advancing cannot
  // miss them. Who waits for ever does not count.
  void AwaitWaiters(int count);

 private:
  struct Waiter {
    std::mutex* mutex;
    std::condition_variable* cv;
    SteadyTime until;
    int wakers = 0;  // calls of Advance that still use it
  };
  bool Register(Waiter& waiter);  // false when its time has come already
  void Unregister(Waiter& waiter);
  std::vector<Waiter*> MoveHands(Duration by);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SteadyTime now_;
  WallTime wall_;
  std::vector<Waiter*> waiters_;
};

}  // namespace hearth
