#include "base/wait_limit.h"

#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(WaitLimit, ForeverNeverEnds) {
  ManualClock clock;
  const WaitLimit limit = WaitLimit::Forever();
  clock.Advance(hours(100'000));
  EXPECT_FALSE(limit.Expired(clock));
  EXPECT_EQ(limit.Remaining(clock), Duration::max());
  EXPECT_OK(limit.Check(clock, "x"));
}

TEST(WaitLimit, EndsExactlyAtItsDeadline) {
  ManualClock clock;
  const WaitLimit limit = WaitLimit::For(clock, seconds(5));
  clock.Advance(seconds(4));
  EXPECT_FALSE(limit.Expired(clock));
  EXPECT_EQ(limit.Remaining(clock), seconds(1));
  clock.Advance(seconds(1));
  EXPECT_TRUE(limit.Expired(clock));
  clock.Advance(seconds(1));
  EXPECT_EQ(limit.Remaining(clock), seconds(0));
  EXPECT_EQ(limit.Check(clock, "read"), DeadlineError("read: deadline exceeded"));
}

TEST(WaitLimit, StopComesBeforeTheDeadline) {
  ManualClock clock;
  std::stop_source stop;
  const WaitLimit limit = WaitLimit::For(clock, seconds(0), stop.get_token());
  stop.request_stop();
  EXPECT_TRUE(limit.Expired(clock));
  EXPECT_EQ(limit.Check(clock, "read"), CancelledError("read: stopped"));
}

TEST(WaitLimit, AtMostNeverExtends) {
  ManualClock clock;
  std::stop_source stop;
  const WaitLimit limit = WaitLimit::For(clock, seconds(5), stop.get_token());
  EXPECT_EQ(limit.AtMost(clock, seconds(2)).Remaining(clock), seconds(2));
  EXPECT_EQ(limit.AtMost(clock, seconds(9)).Remaining(clock), seconds(5));
  EXPECT_EQ(WaitLimit::Forever().AtMost(clock, seconds(9)).Remaining(clock), seconds(9));
  stop.request_stop();
  EXPECT_TRUE(limit.AtMost(clock, seconds(2)).Expired(clock));
}

TEST(WaitLimit, HugeDurationIsForever) {
  ManualClock clock;
  EXPECT_EQ(WaitLimit::For(clock, Duration::max()).deadline, SteadyTime::max());
}

}  // namespace
}  // namespace hearth
