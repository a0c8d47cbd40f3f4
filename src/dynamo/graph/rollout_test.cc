#include "dynamo/graph/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hearth::dynamo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RolloutLimits, AreAQuarterEachUnlessSaid) {
  EXPECT_EQ(LimitsFor("", "", 8).surge, 2);
  EXPECT_EQ(LimitsFor("", "", 8).unavailable, 2);
  EXPECT_EQ(LimitsFor("", "", 5).surge, 2);        // rounded up
  EXPECT_EQ(LimitsFor("", "", 5).unavailable, 1);  // rounded down
  EXPECT_EQ(LimitsFor("3", "50%", 8).surge, 3);
  EXPECT_EQ(LimitsFor("3", "50%", 8).unavailable, 4);
  EXPECT_EQ(LimitsFor("nonsense", "x%", 4).surge, 1);
  const RolloutLimits none = LimitsFor("0", "0", 4);
  EXPECT_EQ(none.surge, 0);
  EXPECT_EQ(none.unavailable, 1);  // or nothing would ever move
}

TEST(Rollout, NothingOldIsNoRollout) {
  const RolloutStep step = PlanRollout(
      {.wanted = 3, .now = {"new", 3, 3}, .old = {}, .limits = {.surge = 1, .unavailable = 0}});
  EXPECT_EQ(step.replicas, 3);
  EXPECT_TRUE(step.complete);
}

TEST(Rollout, TheOldOnesServeOnWhileTheNewOnesAreHeldBack) {
  const RolloutStep step = PlanRollout({.wanted = 3,
                                        .held = true,
                                        .old = {{"old", 3, 3}},
                                        .limits = {.surge = 1, .unavailable = 1}});
  EXPECT_EQ(step.replicas, 0);
  EXPECT_THAT(step.scale_old, IsEmpty());
  EXPECT_THAT(step.remove, IsEmpty());
  EXPECT_FALSE(step.complete);
}

TEST(Rollout, WhatDoesNotServeGoesFirst) {
  const RolloutStep step = PlanRollout({.wanted = 4,
                                        .now = {"new", 1, 0},
                                        .old = {{"old", 4, 2}},
                                        .limits = {.surge = 1, .unavailable = 0}});
  EXPECT_EQ(step.scale_old.at("old"), 2);
}

// The whole way, with workers that become available one after the other: at every step enough of
// them serve, never too many exist, and the end is reached.
TEST(Rollout, NeverTooFewNorTooManyUntilTheNewOnesServeAlone) {
  for (int32_t wanted = 1; wanted <= 9; ++wanted) {
    for (const RolloutLimits limits : {RolloutLimits{1, 0}, {0, 1}, {2, 2}, {3, 1}}) {
      ComponentRollout rollout{.wanted = wanted,
                               .now = {"new", 0, 0},
                               .old = {{"older", wanted / 2, wanted / 2},
                                       {"old", wanted - wanted / 2, wanted - wanted / 2}},
                               .limits = limits};
      bool complete = false;
      for (int i = 0; i < 200 && !complete; ++i) {
        const RolloutStep step = PlanRollout(rollout);
        rollout.now.replicas = step.replicas;
        for (RunningWorkers& old : rollout.old) {
          if (const auto found = step.scale_old.find(old.deployment);
              found != step.scale_old.end()) {
            old.replicas = found->second;
            old.available = std::min(old.available, old.replicas);
          }
        }
        std::erase_if(rollout.old, [&](const RunningWorkers& old) {
          return std::find(step.remove.begin(), step.remove.end(), old.deployment) !=
                 step.remove.end();
        });
        int32_t exist = rollout.now.replicas;
        int32_t serve = rollout.now.available;
        for (const RunningWorkers& old : rollout.old) {
          exist += old.replicas;
          serve += old.available;
        }
        EXPECT_LE(exist, wanted + limits.surge);
        EXPECT_GE(serve, wanted - std::max(limits.unavailable, 0));
        rollout.now.available = std::min(rollout.now.replicas, rollout.now.available + 1);
        complete = step.complete;
      }
      EXPECT_TRUE(complete) << wanted << " " << limits.surge << " " << limits.unavailable;
      EXPECT_EQ(rollout.now.replicas, wanted);
    }
  }
}

}  // namespace
}  // namespace hearth::dynamo
