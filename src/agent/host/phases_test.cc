#include "agent/host/phases.h"

#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"

namespace hearth::agent {
namespace {

using std::chrono::milliseconds;

TEST(PhaseTimer, LeavesNoGaps) {
  ManualClock clock;
  const SteadyTime begin = clock.Now();
  PhaseTimer timer(clock, "first");
  clock.Advance(milliseconds(3));
  timer.Begin("second");
  timer.Begin("empty");
  clock.Advance(milliseconds(4));
  const std::vector<Phase> phases = timer.Finish();
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].name, "first");
  EXPECT_EQ(phases[0].took, milliseconds(3));
  EXPECT_EQ(phases[1].took, milliseconds(0));
  EXPECT_EQ(phases[2].name, "empty");
  EXPECT_EQ(phases[0].took + phases[1].took + phases[2].took, clock.Now() - begin);
}

}  // namespace
}  // namespace hearth::agent
