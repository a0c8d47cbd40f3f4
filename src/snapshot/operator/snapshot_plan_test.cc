#include "snapshot/operator/snapshot_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "controller/conditions.h"
#include "json/time.h"
#include "snapshot/operator/testing/documented_table.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using State = SnapshotState;
using Step = SnapshotStep;

const WallTime kNow = json::Time::Parse("2026-11-16T18:00:00Z")->at;

controller::Condition True(std::string_view type, std::string reason) {
  return {std::string(type), "True", std::move(reason), "so it is", 1};
}

// A snapshot that was seen before, of a pod on a node.
SnapshotWorld World() {
  SnapshotWorld world;
  world.snapshot.name_space = "ns";
  world.snapshot.name = "warm";
  world.snapshot.uid = "u1";
  world.snapshot.generation = 1;
  world.snapshot.held = true;
  world.snapshot.pod = {"worker", "p1", {"main"}};
  world.snapshot.created = kNow - minutes(1);
  world.pod = PodFacts{"p1", "node-a"};
  world.now = kNow;
  return world;
}

ContentFacts Content(const std::string& uid = "u1") {
  ContentFacts content;
  content.name = "podsnapshotcontent-u1";
  content.spec.snapshot = {"ns", "warm", uid};
  content.spec.source = {{"worker", "p1", {"main"}}, "node-a"};
  return content;
}

SnapshotWorld Bound() {
  SnapshotWorld world = World();
  world.snapshot.bound = "podsnapshotcontent-u1";
  world.content = Content();
  world.pod.reset();
  return world;
}

std::string Reason(const json::Value& status, std::string_view type, std::string_view is) {
  const json::Blob blob = status.ToBlob();
  const auto condition = controller::FindCondition(blob.view()["conditions"], type);
  if (!condition.has_value()) {
    return "absent";
  }
  return condition->status == is ? condition->reason : "is " + condition->status;
}

// A96
TEST(SnapshotPlan, APodOnANodeGetsAContent) {
  const SnapshotWorld world = World();
  EXPECT_EQ(PlanSnapshot(world).step, Step::kCreateContent);
  const json::Value content = RenderContent(world.snapshot, *world.pod);
  EXPECT_EQ(content.FindPath("metadata")->Write(),
            R"({"name":"podsnapshotcontent-u1","labels":{"nvidia.com/snapshot-node":"node-a"}})")
      << "no finalizer, no checkpoint id";
  // A104: the containers as they are.
  EXPECT_EQ(content.Find("spec")->WriteCanonical(),
            R"({"snapshotRef":{"name":"warm","namespace":"ns","uid":"u1"},)"
            R"("source":{"nodeName":"node-a",)"
            R"("podRef":{"containers":["main"],"name":"worker","uid":"p1"}}})");
}

// A96: bound, and no condition yet.
TEST(SnapshotPlan, AContentOfOursIsBound) {
  SnapshotWorld world = World();
  world.content = Content();
  const SnapshotPlan plan = PlanSnapshot(world);
  EXPECT_EQ(plan.step, Step::kBind);
  EXPECT_EQ(RenderStatus(world, plan).Write(),
            R"({"boundSnapshotContentName":"podsnapshotcontent-u1"})");
}

TEST(SnapshotPlan, APodWithoutUidIsPinnedByItsContent) {
  SnapshotWorld world = World();
  world.snapshot.pod.uid.clear();
  EXPECT_EQ(PlanSnapshot(world).step, Step::kCreateContent);
  EXPECT_EQ(RenderContent(world.snapshot, *world.pod).FindPath("spec.source.podRef.uid")->string(),
            "p1");
}

// A96, W15: what is waited for comes by a watch.
TEST(SnapshotPlan, AnUnscheduledPodIsWaitedFor) {
  SnapshotWorld world = World();
  world.pod->node.clear();
  const SnapshotPlan plan = PlanSnapshot(world);
  EXPECT_EQ(plan.state, State::kPodUnscheduled);
  EXPECT_EQ(plan.step, Step::kWait);
  EXPECT_FALSE(plan.look_again.has_value());
}

// W13
TEST(SnapshotPlan, ASnapshotWhosePodNeverFindsANodeFailsInTheEnd) {
  SnapshotWorld world = World();
  world.pod->node.clear();
  world.deadline = minutes(10);
  EXPECT_EQ(PlanSnapshot(world).look_again, Duration(minutes(9)));
  world.now += minutes(9);
  const SnapshotPlan plan = PlanSnapshot(world);
  EXPECT_EQ(plan.reason, reason::kDeadlineExceeded);
  world.snapshot.deadline = std::optional<Duration>(Duration::zero());
  EXPECT_EQ(PlanSnapshot(world).step, Step::kWait) << "its own word counts, and that is never";
  world.snapshot.deadline = InvalidError("no duration");
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kInvalidDeadline);
}

// A97
TEST(SnapshotPlan, AMissingPodIsDoubtedThenRefused) {
  SnapshotWorld world = World();
  world.pod.reset();
  EXPECT_EQ(PlanSnapshot(world).doubt, Doubt::kPod);
  world.pod_is_certain = true;
  const SnapshotPlan plan = PlanSnapshot(world);
  EXPECT_EQ(plan.doubt, Doubt::kNone);
  EXPECT_EQ(plan.step, Step::kRefuse);
  EXPECT_EQ(plan.message, "source pod \"worker\" no longer exists");
  const json::Value status = RenderStatus(world, plan);
  EXPECT_EQ(Reason(status, kFailedCondition, "True"), "SourcePodNotFound");
  EXPECT_EQ(Reason(status, kReadyCondition, "False"), "SourcePodNotFound");
}

// A97
TEST(SnapshotPlan, AnotherPodOfTheNameIsRefused) {
  SnapshotWorld world = World();
  world.pod->uid = "p2";
  EXPECT_EQ(PlanSnapshot(world).doubt, Doubt::kPod);
  world.pod_is_certain = true;
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kStalePodReference);
}

// A97: on the way to a content, and when bound.
TEST(SnapshotPlan, AContentOfSomebodyElseIsRefused) {
  SnapshotWorld world = World();
  world.content = Content("u2");
  EXPECT_EQ(PlanSnapshot(world).state, State::kContentForeign);
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentConflict);
  EXPECT_THAT(PlanSnapshot(world).message, HasSubstr("belongs to PodSnapshot ns/warm (uid u2)"));
  world.snapshot.bound = "podsnapshotcontent-u1";
  EXPECT_EQ(PlanSnapshot(world).state, State::kBoundForeign);
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentConflict);
  world.content->spec.snapshot = {"other", "warm", "u1"};
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentConflict);
}

// A99
TEST(SnapshotPlan, WhatBecomesOfTheContentIsMirrored) {
  SnapshotWorld world = Bound();
  json::Value status = RenderStatus(world, PlanSnapshot(world));
  EXPECT_EQ(Reason(status, kReadyCondition, "False"), "Pending");
  EXPECT_EQ(Reason(status, kFailedCondition, "True"), "absent");

  world.content->ready = True(kReadyCondition, "Captured");
  status = RenderStatus(world, PlanSnapshot(world));
  EXPECT_EQ(Reason(status, kReadyCondition, "True"), "Captured");
  EXPECT_EQ(Reason(status, kFailedCondition, "False"), "Captured");

  world.snapshot.conditions = *status.Find("conditions");
  world.content->ready.reset();
  EXPECT_EQ(Reason(RenderStatus(world, PlanSnapshot(world)), kReadyCondition, "False"), "Pending")
      << "Ready falls back";

  world.content->failed = True(kFailedCondition, "CheckpointFailed");
  status = RenderStatus(world, PlanSnapshot(world));
  EXPECT_EQ(Reason(status, kReadyCondition, "False"), "CheckpointFailed");
  EXPECT_EQ(Reason(status, kFailedCondition, "True"), "CheckpointFailed");
}

// A99: Failed is the end.
TEST(SnapshotPlan, AFailedSnapshotIsLeftAlone) {
  SnapshotWorld world = Bound();
  world.snapshot.failed = true;
  world.content->ready = True(kReadyCondition, "Captured");
  EXPECT_EQ(PlanSnapshot(world).step, Step::kNothing);
}

// A100
TEST(SnapshotPlan, TheSameAgainIsTheSameStatus) {
  SnapshotWorld world = Bound();
  world.content->ready = True(kReadyCondition, "Captured");
  const json::Value first = RenderStatus(world, PlanSnapshot(world));
  world.snapshot.conditions = *first.Find("conditions");
  world.now += minutes(5);
  EXPECT_EQ(RenderStatus(world, PlanSnapshot(world)), first);
}

// W14, and A99 where the server could not be asked: no status without certainty.
TEST(SnapshotPlan, AContentThatIsLostFailsTheSnapshot) {
  SnapshotWorld world = Bound();
  world.content->deleting = true;
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentLost);
  world.content.reset();
  EXPECT_EQ(PlanSnapshot(world).doubt, Doubt::kContent);
  world.content_is_certain = true;
  EXPECT_EQ(PlanSnapshot(world).doubt, Doubt::kNone);
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentLost);
}

TEST(SnapshotPlan, AProvidedContentIsBoundInsteadOfANewOne) {
  SnapshotWorld world = World();
  world.pod.reset();
  ContentFacts provided = Content("");
  provided.name = "golden";
  world.provided = {provided};
  const SnapshotPlan plan = PlanSnapshot(world);
  EXPECT_EQ(plan.step, Step::kBind);
  EXPECT_EQ(RenderStatus(world, plan).Write(), R"({"boundSnapshotContentName":"golden"})");
}

TEST(SnapshotPlan, ProvidedContentsThatDoNotFitAreRefused) {
  SnapshotWorld world = World();
  ContentFacts provided = Content("");
  world.provided = {provided, provided};
  EXPECT_EQ(PlanSnapshot(world).reason, reason::kContentConflict);
  EXPECT_THAT(PlanSnapshot(world).message, HasSubstr("both name this PodSnapshot"));
  provided.spec.source.pod.name = "another";
  world.provided = {provided};
  EXPECT_THAT(PlanSnapshot(world).message, HasSubstr("holds pod \"another\""));
}

// A102
TEST(SnapshotPlan, TheFinalizerComesFirst) {
  SnapshotWorld world = World();
  world.snapshot.held = false;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kAddFinalizer);
}

// A102: without a content, with one, while it leaves, and without the finalizer.
TEST(SnapshotPlan, ADeletedSnapshotTakesItsContentWithIt) {
  SnapshotWorld world = Bound();
  world.snapshot.deleting = true;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDeleteContent);
  world.content->deleting = true;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kWait);
  world.content.reset();
  EXPECT_EQ(PlanSnapshot(world).doubt, Doubt::kContent);
  world.content_is_certain = true;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDropFinalizer);
  world.snapshot.held = false;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kNothing);
}

// A content that was made and not written down, because whoever made it died.
TEST(SnapshotPlan, ADeletedSnapshotTakesAnUnboundContentWithIt) {
  SnapshotWorld world = Bound();
  world.snapshot.deleting = true;
  world.snapshot.bound.clear();
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDeleteContent);
}

TEST(SnapshotPlan, ADeletedSnapshotLeavesWhatIsNotItsOwn) {
  SnapshotWorld world = Bound();
  world.snapshot.deleting = true;
  world.content = Content("u2");
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDropFinalizer);
  world.content = Content("");
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDropFinalizer) << "provided, and to be kept";
  world.content->policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDeleteContent);
}

TEST(SnapshotPlan, AContentGoesOnlyWithItsPolicyWrittenDown) {
  SnapshotWorld world = Bound();
  world.snapshot.deleting = true;
  world.snapshot.policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanSnapshot(world).state, State::kDeletedPolicyUnsettled);
  world.content->policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kWait) << "no finalizer yet";
  world.content->held = true;
  EXPECT_EQ(PlanSnapshot(world).step, Step::kDeleteContent);
}

TEST(SnapshotPlan, AContentToBeDeletedWithItsArtifactIsHeldFromTheBeginning) {
  SnapshotWorld world = World();
  world.snapshot.policy = DeletionPolicy::kDelete;
  const json::Value content = RenderContent(world.snapshot, *world.pod);
  EXPECT_EQ(content.FindPath("metadata.finalizers")->Write(),
            R"(["nvidia.com/snapshot-artifact-cleanup"])");
  EXPECT_EQ(content.FindPath("metadata.annotations")->Write(),
            R"({"nvidia.com/snapshot-deletion-policy":"Delete"})");
}

// W12
TEST(SnapshotPlan, ALongNodeNameIsNoInvalidLabel) {
  SnapshotWorld world = World();
  world.pod->node = std::string(100, 'n') + ".example.com";
  const json::Value content = RenderContent(world.snapshot, *world.pod);
  EXPECT_LE(content.FindPath("metadata.labels")->Find(kNodeLabel)->string().size(), 63U);
  EXPECT_EQ(content.FindPath("spec.source.nodeName")->string(), world.pod->node);
}

TEST(SnapshotPlan, TheTableIsTheOneOfTheDocument) {
  std::map<std::string, std::string> rows;
  for (const SnapshotRow& row : SnapshotTable()) {
    const std::string step(row.step_name);
    const bool is_new =
        rows.emplace(row.name, row.reason.empty() ? step : step + " " + std::string(row.reason))
            .second;
    EXPECT_TRUE(is_new) << row.name;
  }
  EXPECT_EQ(DocumentedTable(HEARTH_SOURCE_DIR, "States of a PodSnapshot"), rows);
}

}  // namespace
}  // namespace hearth::snapshot
