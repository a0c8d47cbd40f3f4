#include "base/testing/manual_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A thread that waits until a time of the clock has come.
class Waiter {
 public:
  Waiter(ManualClock& clock, Duration duration)
      : thread_([this, &clock, until = clock.Now() + duration] {
          std::unique_lock lock(mutex_);
          while (clock.Now() < until) {
            clock.WaitUntil(lock, cv_, until);
          }
          done_ = true;
        }) {}

  bool done() const { return done_; }
  void Join() { thread_.join(); }

 private:
  std::mutex mutex_;
  std::condition_variable cv_;
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

TEST(ManualClock, StandsStillUntilAdvanced) {
  ManualClock clock;
  const SteadyTime now = clock.Now();
  const WallTime wall = clock.WallNow();
  EXPECT_EQ(clock.Now(), now);
  clock.Advance(milliseconds(1500));
  EXPECT_EQ(clock.Now() - now, milliseconds(1500));
  EXPECT_EQ(clock.WallNow() - wall, milliseconds(1500));
}

TEST(ManualClock, StartsAtTheGivenWallTime) {
  const WallTime start(seconds(42));
  EXPECT_EQ(ManualClock(start).WallNow(), start);
}

TEST(ManualClock, WakesWaitersInTheOrderOfTheirTimes) {
  ManualClock clock;
  Waiter early(clock, seconds(1));
  Waiter late(clock, seconds(2));
  clock.AwaitWaiters(2);
  clock.Advance(seconds(1));
  early.Join();
  EXPECT_FALSE(late.done());
  clock.AwaitWaiters(1);
  clock.Advance(seconds(1));
  late.Join();
  EXPECT_TRUE(late.done());
}

TEST(ManualClock, WaitForThePastReturnsAtOnce) {
  ManualClock clock;
  std::mutex mutex;
  std::condition_variable cv;
  std::unique_lock lock(mutex);
  clock.WaitUntil(lock, cv, clock.Now());
  EXPECT_TRUE(lock.owns_lock());
}

TEST(ManualClock, WaitersCanBeNotifiedAsUsual) {
  ManualClock clock;
  std::mutex mutex;
  std::condition_variable cv;
  bool ready = false;
  std::jthread waiter([&] {
    std::unique_lock lock(mutex);
    while (!ready) {
      clock.WaitUntil(lock, cv, SteadyTime::max());
    }
  });
  std::lock_guard lock(mutex);
  ready = true;
  cv.notify_all();
}

// Threads come and go while time runs: none may be missed, and none may be touched after it left.
TEST(ManualClock, AdvancingWhileWaitersComeAndGoIsSafe) {
  ManualClock clock;
  std::atomic<int> left = 4;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Waiter waiter(clock, milliseconds(1));
        waiter.Join();
      }
      --left;
    });
  }
  while (left > 0) {
    clock.Advance(milliseconds(1));
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace hearth
