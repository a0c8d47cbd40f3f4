#include "dynamo/graph/graph_verdict.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;

ComponentProgress Component(const std::string& name, Missing missing, const std::string& detail) {
  ComponentProgress progress{.name = name};
  progress.missing = missing;
  progress.detail = detail;
  return progress;
}

ComponentStart Start(StartWay way, bool ready, bool failed = false) {
  ComponentStart start;
  start.way = way;
  start.checkpoint = "warm";
  start.ready = ready;
  start.failed = failed;
  start.message = failed ? "the Job died" : "";
  return start;
}

TEST(GraphVerdict, ReadyWhenNothingIsMissing) {
  const GraphVerdict verdict =
      Judge({.generation = 3, .components = {Component("a", Missing::kNothing, "")}});
  EXPECT_EQ(verdict.state, dyn::GraphState::kSuccessful);
  EXPECT_EQ(verdict.ready.status, "True");
  EXPECT_EQ(verdict.ready.reason, "all_resources_are_ready");
  EXPECT_EQ(verdict.ready.observed_generation, 3);
  EXPECT_FALSE(verdict.checkpoint);
}

TEST(GraphVerdict, SaysWhichComponentWaitsForWhat) {
  const GraphVerdict one = Judge({.components = {Component("a", Missing::kNothing, ""),
                                                 Component("b", Missing::kPods, "1 of 2")}});
  EXPECT_EQ(one.state, dyn::GraphState::kPending);
  EXPECT_EQ(one.ready.reason, "pods_not_ready");
  EXPECT_EQ(one.ready.message, "Resources not ready: b: 1 of 2");
  const GraphVerdict mixed = Judge({.components = {Component("a", Missing::kCapacity, "x"),
                                                   Component("b", Missing::kPods, "y")}});
  EXPECT_EQ(mixed.ready.reason, "mixed_not_ready_reasons");
  EXPECT_EQ(mixed.ready.message, "Resources not ready: a: x; b: y");
}

// X4, X5
TEST(GraphVerdict, WaitsForCheckpointsByName) {
  GraphProgress progress;
  progress.components = {Component("a", Missing::kPods, "0 of 1")};
  progress.starts = {{"a", Start(StartWay::kWaits, false)}};
  const GraphVerdict verdict = Judge(progress);
  EXPECT_EQ(verdict.ready.reason, "waiting_for_checkpoint");
  EXPECT_EQ(verdict.ready.message, "Waiting for checkpoints: a (warm)");
  EXPECT_EQ(verdict.checkpoint->status, "False");
  EXPECT_EQ(verdict.checkpoint->reason, "CheckpointNotReady");
}

// W8: a checkpoint that failed is told, and nobody waits for it in silence.
TEST(GraphVerdict, AFailedCheckpointFailsWhoWaitsForIt) {
  GraphProgress progress;
  progress.components = {Component("a", Missing::kNothing, "")};
  progress.starts = {{"a", Start(StartWay::kWaits, false, true)}};
  const GraphVerdict waiting = Judge(progress);
  EXPECT_EQ(waiting.state, dyn::GraphState::kFailed);
  EXPECT_EQ(waiting.ready.reason, "checkpoint_failed");
  EXPECT_EQ(waiting.ready.message, "a (warm): the Job died");
  // Who starts cold meanwhile is well, and says that it starts cold.
  progress.starts = {{"a", Start(StartWay::kCandidate, false, true)}};
  const GraphVerdict cold = Judge(progress);
  EXPECT_EQ(cold.state, dyn::GraphState::kSuccessful);
  EXPECT_EQ(cold.checkpoint->reason, "CheckpointFailed");
}

// W11
TEST(GraphVerdict, SaysThatCheckpointsAreOff) {
  const GraphVerdict verdict = Judge({.checkpoints_off = true});
  EXPECT_EQ(verdict.checkpoint->reason, "CheckpointsDisabled");
}

TEST(GraphVerdict, FailuresCountMost) {
  GraphProgress progress;
  progress.components = {Component("a", Missing::kPods, "x")};
  progress.failures = {"no storage", "no class"};
  const GraphVerdict verdict = Judge(progress);
  EXPECT_EQ(verdict.state, dyn::GraphState::kFailed);
  EXPECT_EQ(verdict.ready.reason, "failed_to_reconcile_the_resources");
  EXPECT_EQ(verdict.ready.message, "no storage; no class");
}

TEST(ComponentProgressTest, IsReadFromWhateverRunsIt) {
  const auto status =
      json::Parse(R"({"observedGeneration":2,"replicas":3,"updatedReplicas":3,"readyReplicas":2,)"
                  R"("scheduledReplicas":3,"availableReplicas":2})");
  const Running running{.name = "g-0-a", .generation = 2, .status = status->view()};
  const ComponentProgress clique = OfClique("a", running, 3);
  EXPECT_EQ(clique.missing, Missing::kPods);
  EXPECT_EQ(clique.detail, "2 of 3 are ready");
  EXPECT_EQ(OfClique("a", running, 2).missing, Missing::kUpdate);    // one is still going
  EXPECT_EQ(OfClique("a", running, 5).missing, Missing::kCapacity);  // none takes the others
  const Running unseen{.name = "g-0-a", .generation = 3, .status = status->view()};
  EXPECT_EQ(OfClique("a", unseen, 3).missing, Missing::kUpdate);
  EXPECT_EQ(OfScalingGroup("a", running, 3).detail, "2 of 3 are ready");
}

}  // namespace
}  // namespace hearth::dynamo
