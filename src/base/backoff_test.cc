#include "base/backoff.h"

#include <gtest/gtest.h>

#include <limits>

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

BackoffPolicy Policy() {
  return {.initial = seconds(1), .max = seconds(30), .factor = 2.0, .jitter = 0.2};
}

TEST(BackoffPolicy, DoublesUpToTheMaximum) {
  const BackoffPolicy policy = Policy();
  EXPECT_EQ(policy.DelayFor(0), seconds(1));
  EXPECT_EQ(policy.DelayFor(1), seconds(2));
  EXPECT_EQ(policy.DelayFor(4), seconds(16));
  EXPECT_EQ(policy.DelayFor(5), seconds(30));
}

TEST(BackoffPolicy, HugeAttemptsDoNotOverflow) {
  BackoffPolicy policy = Policy();
  EXPECT_EQ(policy.DelayFor(std::numeric_limits<int>::max()), seconds(30));
  policy.max = Duration::max();
  EXPECT_EQ(policy.DelayFor(std::numeric_limits<int>::max()), Duration::max());
  Random random(1);
  EXPECT_GT(policy.DelayFor(std::numeric_limits<int>::max(), random), Duration::zero());
}

TEST(BackoffPolicy, NegativeAttemptIsTheFirst) { EXPECT_EQ(Policy().DelayFor(-5), seconds(1)); }

TEST(BackoffPolicy, NoInitialDelayIsNone) {
  BackoffPolicy policy = Policy();
  policy.initial = Duration::zero();
  EXPECT_EQ(policy.DelayFor(1'000'000), Duration::zero());
}

TEST(BackoffPolicy, JitterStaysInItsShare) {
  const BackoffPolicy policy = Policy();
  Random random(1);
  Duration low = Duration::max();
  Duration high = Duration::zero();
  for (int i = 0; i < 1000; ++i) {
    const Duration delay = policy.DelayFor(0, random);
    low = std::min(low, delay);
    high = std::max(high, delay);
  }
  EXPECT_GT(low, milliseconds(800));
  EXPECT_LT(low, milliseconds(810));
  EXPECT_LE(high, seconds(1));
  EXPECT_GT(high, milliseconds(990));
}

TEST(BackoffPolicy, FullJitterNeverGivesZero) {
  BackoffPolicy policy = Policy();
  policy.initial = Duration(1);
  policy.jitter = 1.0;
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(policy.DelayFor(0, random), Duration(1));
  }
}

TEST(Backoff, GrowsAndStartsAgainAfterReset) {
  BackoffPolicy policy = Policy();
  policy.jitter = 0;
  Backoff backoff(policy, Random(1));
  EXPECT_EQ(backoff.Next(), seconds(1));
  EXPECT_EQ(backoff.Next(), seconds(2));
  EXPECT_EQ(backoff.attempts(), 2);
  backoff.Reset();
  EXPECT_EQ(backoff.attempts(), 0);
  EXPECT_EQ(backoff.Next(), seconds(1));
}

}  // namespace
}  // namespace hearth
