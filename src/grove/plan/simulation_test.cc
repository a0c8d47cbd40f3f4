// Plans carried out in a cluster in miniature, by chance and for long: what single cases do not
// show.
#include <gtest/gtest.h>

#include "grove/plan/testing/simulator.h"

namespace hearth::grove {
namespace {

SetFacts Example(int32_t replicas) {
  SetFacts set = MakeSet(replicas);
  AddClique(set, "router", 2, 1);
  AddClique(set, "leader", 1, 1);
  AddClique(set, "worker", 3, 2);
  AddGroup(set, "decode", {"leader", "worker"}, 2, 1);
  return set;
}

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += "\n  " + line;
  }
  return text;
}

void ExpectSettles(Simulator& simulator, const std::string& when) {
  ASSERT_TRUE(simulator.Settle()) << when << " it never comes to rest"
                                  << Lines(simulator.Unsettled());
  EXPECT_EQ(Lines(simulator.Unsettled()), "") << when;
  EXPECT_EQ(Lines(simulator.problems()), "") << when;
}

TEST(Simulation, AnythingMayHappenAndItComesToRest) {
  size_t updates = 0;
  size_t pods = 0;
  size_t replicas = 0;
  for (uint32_t seed = 0; seed < 40 && !testing::Test::HasFailure(); ++seed) {
    Simulator simulator(Example(2), seed);
    for (int step = 0; step < 4000; ++step) {
      simulator.Step();
    }
    ExpectSettles(simulator, "seed " + std::to_string(seed));
    updates += simulator.updates_begun();
    pods += simulator.pods_replaced();
    replicas += simulator.replicas_replaced();
  }
  // It was not for nothing.
  EXPECT_GT(updates, 50U);
  EXPECT_GT(pods, 30U);
  EXPECT_GT(replicas, 30U);
}

TEST(Simulation, UsersDeleteWhereTheyAreToDelete) {
  for (uint32_t seed = 0; seed < 20 && !testing::Test::HasFailure(); ++seed) {
    SetFacts set = Example(2);
    UseOnDelete(set);
    Simulator simulator(std::move(set), seed);
    for (int step = 0; step < 2000; ++step) {
      simulator.Step();
    }
    ASSERT_TRUE(simulator.Settle());
    simulator.UserDeletesOutdated();
    ExpectSettles(simulator, "seed " + std::to_string(seed));
  }
}

TEST(Simulation, GangsEndOncePerDelay) {
  Simulator simulator(Example(2), 1);
  ExpectSettles(simulator, "at first");
  simulator.Pass(std::chrono::minutes(1));
  for (int minute = 0; minute < 35; ++minute) {
    simulator.BreakPods(0);
    for (int turn = 0; turn < 3; ++turn) {
      simulator.TurnOnce();
    }
    simulator.Pass(std::chrono::minutes(1));
  }
  EXPECT_EQ(simulator.terminations(), 3U);
  EXPECT_EQ(Lines(simulator.problems()), "");
  ExpectSettles(simulator, "in the end");
}

}  // namespace
}  // namespace hearth::grove
