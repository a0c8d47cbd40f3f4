// Group of the acceptance list: Topology (the condition of sets).
#include "grove/plan/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grove/plan/set_plan.h"
#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

using api::grove::TopologyConstraint;
using testing::HasSubstr;

TopologyConstraint Pack(std::string required, std::string preferred = "", std::string name = "") {
  TopologyConstraint constraint;
  constraint.topology_name = std::move(name);
  constraint.pack = TopologyConstraint::Pack{std::move(required), std::move(preferred)};
  return constraint;
}

// A standalone clique "r", and "w" in the group "g".
SetFacts Set() {
  SetFacts set = MakeSet(1);
  AddClique(set, "r", 1, 1);
  AddClique(set, "w", 1, 1);
  AddGroup(set, "g", {"w"}, 1, 1);
  return set;
}
api::grove::PodCliqueSetTemplate& Parts(SetFacts& set) { return set.spec.set_template; }

const TopologyFacts kLevels{true, {{"zone", "rack", "host"}}};

TEST(TopologyCondition, ASetThatAsksForNothingHasNone) {
  EXPECT_EQ(TopologyCondition(Set(), {}), std::nullopt);
}

TEST(TopologyCondition, WithoutTheBindingNobodyKnows) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("host", "", "nowhere");
  const auto condition = TopologyCondition(set, {});
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->type, "TopologyLevelsUnavailable");
  EXPECT_EQ(condition->status, "Unknown");
  EXPECT_EQ(condition->reason, "ClusterTopologyNotFound");
  EXPECT_THAT(condition->message, HasSubstr("ClusterTopologyBinding nowhere"));
}

TEST(TopologyCondition, WithoutANameNobodyKnows) {
  SetFacts set = Set();
  Parts(set).cliques[0].topology_constraint = Pack("host");
  EXPECT_EQ(TopologyCondition(set, {})->reason, "TopologyNameMissing");
}

TEST(TopologyCondition, WhereItIsOffNothingIsHandedOn) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("host", "", "dc");
  TopologyFacts off = kLevels;
  off.enabled = false;
  EXPECT_EQ(TopologyCondition(set, off)->status, "Unknown");
  EXPECT_EQ(TopologyCondition(set, off)->reason, "TopologyAwareSchedulingDisabled");
}

TEST(TopologyCondition, DomainsThatAreNoLevelsAreNamed) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("zone", "region", "dc");
  Parts(set).cliques[1].topology_constraint = Pack("numa", "region");
  const auto condition = TopologyCondition(set, kLevels);
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "ClusterTopologyLevelsUnavailable");
  EXPECT_THAT(condition->message, HasSubstr("region, numa"));
  EXPECT_THAT(condition->message, HasSubstr("zone, rack, host"));
}

TEST(TopologyCondition, WhatIsWithinMustNotBeBroader) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("rack", "", "dc");
  Parts(set).cliques[0].topology_constraint = Pack("zone");
  const auto condition = TopologyCondition(set, kLevels);
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "ClusterTopologyLevelsOutOfOrder");
  EXPECT_THAT(condition->message, HasSubstr("clique r asks for zone within rack"));

  // A clique of a group is within that group.
  Parts(set).cliques[0].topology_constraint = Pack("host");
  Parts(set).scaling_groups[0].topology_constraint = Pack("rack", "host");
  Parts(set).cliques[1].topology_constraint = Pack("rack", "rack");
  EXPECT_THAT(TopologyCondition(set, kLevels)->message, HasSubstr("clique w asks for rack"));
}

TEST(TopologyCondition, AllLevelsThereIsFalse) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("zone", "rack", "dc");
  Parts(set).scaling_groups[0].topology_constraint = Pack("rack");
  Parts(set).cliques[1].topology_constraint = Pack("", "host");
  const auto condition = TopologyCondition(set, kLevels);
  EXPECT_EQ(condition->status, "False");
  EXPECT_EQ(condition->reason, "AllClusterTopologyLevelsAvailable");
}

TEST(SetStatus, SaysWhatBecomesOfTheTopologyAndHeals) {
  SetFacts set = Set();
  Parts(set).topology_constraint = Pack("host", "", "dc");
  const Hashes hashes = MakeHashes(set, 1);
  SetWorld world{set, hashes, PlanHash(set, hashes, {}), {}, {}, At(1000), {}};
  const auto next = [&](TopologyFacts topology) {
    world.topology = std::move(topology);
    set.status = MakeSetStatus(world, PlanSet(world), {}).status;
    return set.status.conditions;
  };
  ASSERT_EQ(next({}).size(), 1U);
  EXPECT_EQ(set.status.conditions[0].reason, "ClusterTopologyNotFound");
  ASSERT_EQ(next(kLevels).size(), 1U);
  EXPECT_EQ(set.status.conditions[0].status, "False");
  Parts(set).topology_constraint.reset();
  EXPECT_TRUE(next(kLevels).empty());
}

}  // namespace
}  // namespace hearth::grove
