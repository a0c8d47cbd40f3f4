#include "dynamo/recovery/cascade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::dynamo::recovery {
namespace {

using testing::ElementsAre;
using Decision = CascadeDecision;

EngineFacts Engine(std::string uid, std::string phase) {
  return {.uid = std::move(uid),
          .phase = std::move(phase),
          .member = true,
          .restore_target = false,
          .deleting = false,
          .group = {"graph-0-worker", "1", "0"}};
}

// C1, C2, W24.
TEST(Cascade, IsDecidedByWhatThePodIs) {
  struct Case {
    const char* what;
    void (*change)(EngineFacts& pod);
    Decision decision;
  };
  const Case cases[] = {
      {"failed", [](EngineFacts&) {}, Decision::kCascade},
      {"succeeded", [](EngineFacts& pod) { pod.phase = "Succeeded"; }, Decision::kCascade},
      {"running", [](EngineFacts& pod) { pod.phase = "Running"; }, Decision::kAlive},
      {"pending", [](EngineFacts& pod) { pod.phase = "Pending"; }, Decision::kAlive},
      {"not said yet", [](EngineFacts& pod) { pod.phase = ""; }, Decision::kAlive},
      {"label taken away", [](EngineFacts& pod) { pod.member = false; }, Decision::kNotMember},
      {"being deleted", [](EngineFacts& pod) { pod.deleting = true; }, Decision::kDeleting},
      {"restored", [](EngineFacts& pod) { pod.restore_target = true; }, Decision::kRestoreTarget},
      {"no group", [](EngineFacts& pod) { pod.group.scaling_group = ""; }, Decision::kNoGroup},
      {"no replica", [](EngineFacts& pod) { pod.group.replica = ""; }, Decision::kNoGroup},
      {"no index", [](EngineFacts& pod) { pod.group.index = ""; }, Decision::kNoGroup},
  };
  for (const Case& each : cases) {
    EngineFacts pod = Engine("a", "Failed");
    each.change(pod);
    EXPECT_EQ(DecideCascade(pod), each.decision) << each.what;
  }
}

// C1.
TEST(Cascade, TakesTheGroupWithItAndWhoeverBeganItLast) {
  const EngineFacts trigger = Engine("leader", "Failed");
  EXPECT_THAT(
      WhoGoes(trigger, {trigger, Engine("worker-1", "Running"), Engine("worker-2", "Failed")}),
      ElementsAre(1, 2, 0));
}

// C1, W24.
TEST(Cascade, LeavesOthersAlone) {
  const EngineFacts trigger = Engine("leader", "Failed");
  EngineFacts other_index = Engine("shadow", "Running");
  other_index.group.index = "1";
  EngineFacts other_replica = Engine("replica", "Running");
  other_replica.group.replica = "0";
  EngineFacts unlabelled = Engine("gms", "Running");
  unlabelled.member = false;
  EngineFacts restored = Engine("restored", "Running");
  restored.restore_target = true;
  EngineFacts going = Engine("going", "Running");
  going.deleting = true;
  EXPECT_THAT(WhoGoes(trigger, {other_index, other_replica, unlabelled, restored, going, trigger}),
              ElementsAre(5));
}

TEST(Cascade, ReadsWhatPodsAreLabelledWith) {
  const auto pod = json::ParseValue(R"({
    "metadata": {"labels": {
      "nvidia.com/dynamo-failover-engine-group-member": "true",
      "nvidia.com/snapshot-is-restore-target": "true",
      "grove.io/podcliquescalinggroup": "graph-0-worker",
      "grove.io/podcliquescalinggroup-replica-index": "2",
      "grove.io/podclique-pod-index": "1"}},
    "status": {"phase": "Failed"}})");
  ASSERT_TRUE(pod.ok());
  const json::Blob blob = pod->ToBlob();
  const EngineFacts facts = ReadEngine(blob.view());
  EXPECT_TRUE(facts.member);
  EXPECT_TRUE(facts.restore_target);
  EXPECT_EQ(facts.phase, "Failed");
  EXPECT_EQ(facts.group, (EngineGroup{"graph-0-worker", "2", "1"}));
  EXPECT_EQ(facts.group.KeyIn("ns"), "ns/graph-0-worker/2/1");
}

}  // namespace
}  // namespace hearth::dynamo::recovery
