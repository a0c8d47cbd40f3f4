#include "base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/manual_clock.h"

namespace hearth {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RealClock, NeverGoesBack) {
  const SteadyTime before = RealClock().Now();
  EXPECT_GE(RealClock().Now(), before);
  EXPECT_GT(RealClock().WallNow().time_since_epoch(), hours(24 * 365 * 50));
}

TEST(RealClock, WaitEndsAtItsTime) {
  std::mutex mutex;
  std::condition_variable cv;
  std::unique_lock lock(mutex);
  const SteadyTime until = RealClock().Now() + milliseconds(1);
  while (RealClock().Now() < until) {
    RealClock().WaitUntil(lock, cv, until);
  }
  EXPECT_GE(RealClock().Now(), until);
}

TEST(RealClock, WaitForEverEndsWhenNotified) {
  std::mutex mutex;
  std::condition_variable cv;
  bool ready = false;
  std::jthread notifier([&] {
    std::lock_guard lock(mutex);
    ready = true;
    cv.notify_all();
  });
  std::unique_lock lock(mutex);
  while (!ready) {
    RealClock().WaitUntil(lock, cv, SteadyTime::max());
  }
  EXPECT_TRUE(ready);
}

TEST(TimeAfter, EndsAtTheEndOfTime) {
  const SteadyTime now = SteadyTime(hours(1));
  EXPECT_EQ(TimeAfter(now, seconds(5)), now + seconds(5));
  EXPECT_EQ(TimeAfter(now, seconds(-5)), now - seconds(5));
  EXPECT_EQ(TimeAfter(now, Duration::max()), SteadyTime::max());
  EXPECT_EQ(TimeAfter(SteadyTime::max(), seconds(1)), SteadyTime::max());
}

TEST(SleepFor, SleepsUntilTheClockSaysSo) {
  ManualClock clock;
  bool slept = false;
  std::jthread sleeper([&] { slept = SleepFor(clock, seconds(10), {}); });
  clock.AwaitWaiters(1);
  clock.Advance(seconds(9));
  clock.AwaitWaiters(1);
  clock.Advance(seconds(1));
  sleeper.join();
  EXPECT_TRUE(slept);
}

TEST(SleepFor, StopWakesTheSleeper) {
  ManualClock clock;
  std::stop_source stop;
  bool slept = true;
  std::jthread sleeper([&] { slept = SleepFor(clock, Duration::max(), stop.get_token()); });
  stop.request_stop();
  sleeper.join();
  EXPECT_FALSE(slept);
}

TEST(SleepFor, DoesNotSleepWhenStoppedBefore) {
  ManualClock clock;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(SleepFor(clock, hours(1), stop.get_token()));
}

TEST(SleepFor, NoTimeIsNoSleep) {
  ManualClock clock;
  EXPECT_TRUE(SleepFor(clock, seconds(0), {}));
  EXPECT_TRUE(SleepFor(clock, seconds(-1), {}));
}

}  // namespace
}  // namespace hearth
