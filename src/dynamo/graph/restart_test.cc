#include "dynamo/graph/restart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using testing::ElementsAre;

dyn::Restart Wish(const std::string& id, dyn::RestartOrder type = dyn::RestartOrder::kSequential,
                  std::vector<std::string> order = {}) {
  dyn::Restart wish{.id = id};
  wish.strategy = dyn::RestartStrategy{.type = type, .order = std::move(order)};
  return wish;
}

std::vector<RestartProgress> Settled(const std::string& stamp) {
  return {{"a", stamp, true}, {"b", stamp, true}, {"c", stamp, true}};
}

TEST(Restart, WithoutAWishEverybodyKeepsHisStamp) {
  const RestartPlan plan = PlanRestart(std::nullopt, std::nullopt, Settled("old"));
  EXPECT_EQ(plan.stamps.at("b"), "old");
  EXPECT_FALSE(plan.status);
}

TEST(Restart, OneAfterTheOther) {
  const auto wish = Wish("r1", dyn::RestartOrder::kSequential, {"c", "a", "b"});
  std::vector<RestartProgress> components = Settled("");
  std::vector<std::string> order;
  std::optional<dyn::RestartStatus> status;
  for (int i = 0; i < 10; ++i) {
    const RestartPlan plan = PlanRestart(wish, status, components);
    status = plan.status;
    if (status->phase == dyn::RestartPhase::kCompleted) {
      break;
    }
    ASSERT_EQ(status->in_progress.size(), 1U);
    order.push_back(status->in_progress.front());
    for (RestartProgress& component : components) {
      const bool is_new = component.stamp != plan.stamps.at(component.component);
      component.stamp = plan.stamps.at(component.component);
      component.settled = !is_new;
    }
  }
  // Each is seen once when it begins and once while it settles.
  EXPECT_THAT(order, ElementsAre("c", "c", "a", "a", "b", "b"));
  EXPECT_EQ(status->phase, dyn::RestartPhase::kCompleted);
  EXPECT_EQ(status->observed_id, "r1");
}

TEST(Restart, AllAtOnce) {
  const RestartPlan plan =
      PlanRestart(Wish("r1", dyn::RestartOrder::kParallel), std::nullopt, Settled(""));
  EXPECT_THAT(plan.status->in_progress, ElementsAre("a", "b", "c"));
  EXPECT_EQ(plan.stamps.at("c"), "r1");
}

TEST(Restart, WhatIsDoneIsNotDoneAgain) {
  dyn::RestartStatus done{.observed_id = "r1"};
  done.phase = dyn::RestartPhase::kCompleted;
  const RestartPlan plan = PlanRestart(Wish("r1"), done, Settled(""));
  EXPECT_EQ(plan.stamps.at("a"), "");
  EXPECT_EQ(plan.status->phase, dyn::RestartPhase::kCompleted);
  EXPECT_EQ(PlanRestart(Wish("r2"), done, Settled("r1")).stamps.at("a"), "r2");
}

}  // namespace
}  // namespace hearth::dynamo
