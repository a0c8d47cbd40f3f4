#include "kube/client/internal/rate_limiter.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::kube::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateLimiter, LetsABurstThroughAndThenKeepsThePace) {
  ManualClock clock;
  RateLimiter limiter(10, 3, clock);
  const WaitLimit at_once = WaitLimit::For(clock, Duration::zero());
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(limiter.Acquire(at_once));
  }
  EXPECT_CODE(Code::kDeadlineExceeded, limiter.Acquire(at_once));
  clock.Advance(milliseconds(100));
  EXPECT_OK(limiter.Acquire(WaitLimit::For(clock, Duration::zero())));
  EXPECT_CODE(Code::kDeadlineExceeded, limiter.Acquire(WaitLimit::For(clock, Duration::zero())));
}

TEST(RateLimiter, WaitersComeOneAfterTheOther) {
  ManualClock clock;
  RateLimiter limiter(1, 1, clock);
  EXPECT_OK(limiter.Acquire(WaitLimit::Forever()));
  std::atomic<int> through = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      EXPECT_OK(limiter.Acquire(WaitLimit::Forever()));
      ++through;
      through.notify_all();
    });
  }
  clock.AwaitWaiters(2);
  clock.Advance(seconds(1));
  through.wait(0);
  clock.AwaitWaiters(1);
  EXPECT_EQ(through, 1);
  clock.Advance(seconds(1));
  threads.clear();
  EXPECT_EQ(through, 2);
}

TEST(RateLimiter, AWaiterCanBeStopped) {
  ManualClock clock;
  RateLimiter limiter(1, 1, clock);
  EXPECT_OK(limiter.Acquire(WaitLimit::Forever()));
  std::jthread thread([&](const std::stop_token& stop) {
    EXPECT_CODE(Code::kCancelled, limiter.Acquire({SteadyTime::max(), stop}));
  });
  clock.AwaitWaiters(1);
}

TEST(RateLimiter, ZeroMeansNoLimit) {
  ManualClock clock;
  RateLimiter limiter(0, 1, clock);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_OK(limiter.Acquire(WaitLimit::For(clock, Duration::zero())));
  }
}

}  // namespace
}  // namespace hearth::kube::internal
