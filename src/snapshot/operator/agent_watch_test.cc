#include "snapshot/operator/agent_watch.h"

#include <gtest/gtest.h>

namespace hearth::snapshot {
namespace {

using std::chrono::seconds;
using Kind = AgentSight::Kind;

constexpr SteadyTime kStart{seconds(1000)};
constexpr Duration kLasts = seconds(40);

TEST(AgentWatch, ALeaseSeenForTheFirstTimeCountsAsRenewed) {
  AgentWatch watch;
  // Written by a clock that is years off: nobody looks at it.
  const AgentSight sight = watch.Look("a", "1999-01-01T00:00:00.000000Z", kLasts, kStart);
  EXPECT_EQ(sight.kind, Kind::kAlive);
  EXPECT_EQ(sight.next_look, kLasts);
}

TEST(AgentWatch, ALeaseThatDoesNotChangeRunsOut) {
  AgentWatch watch;
  watch.Look("a", "t1", kLasts, kStart);
  EXPECT_EQ(watch.Look("a", "t1", kLasts, kStart + seconds(39)).next_look, seconds(1));
  const AgentSight sight = watch.Look("a", "t1", kLasts, kStart + seconds(45));
  EXPECT_EQ(sight.kind, Kind::kSilent);
  EXPECT_EQ(sight.silent_for, seconds(5));
  EXPECT_EQ(watch.Look("a", "t2", kLasts, kStart + seconds(46)).kind, Kind::kAlive);
  EXPECT_EQ(watch.Look("b", "t1", kLasts, kStart + seconds(46)).kind, Kind::kAlive);
}

TEST(AgentWatch, AForgottenLeaseBeginsAnew) {
  AgentWatch watch;
  watch.Look("a", "t1", kLasts, kStart);
  watch.Forget("a");
  EXPECT_EQ(watch.Look("a", "t1", kLasts, kStart + seconds(100)).kind, Kind::kAlive);
}

}  // namespace
}  // namespace hearth::snapshot
