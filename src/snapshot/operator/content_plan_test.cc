#include "snapshot/operator/content_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "json/time.h"
#include "snapshot/operator/testing/documented_table.h"
#include "snapshot/protocol/conditions.h"

namespace hearth::snapshot {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using State = ContentState;
using Step = ContentStep;
using Agent = AgentSight::Kind;

const WallTime kNow = json::Time::Parse("2026-11-16T18:00:00Z")->at;

// A content whose capture an agent is working on.
ContentWorld World() {
  ContentWorld world;
  world.content.name = "podsnapshotcontent-u1";
  world.content.spec.snapshot = {"ns", "warm", "u1"};
  world.content.spec.source = {{"worker", "p1", {"main"}}, "node-a"};
  world.content.created = kNow - minutes(1);
  world.snapshot.emplace();
  world.snapshot->created = kNow - minutes(1);
  world.agent = {Agent::kAlive, Duration::zero(), seconds(30)};
  world.now = kNow;
  return world;
}

// One that is deleted together with an artifact.
ContentWorld Leaving() {
  ContentWorld world = World();
  world.content.deleting = true;
  world.content.held = true;
  world.content.policy = DeletionPolicy::kDelete;
  world.content.deletion_asked = kNow - minutes(1);
  world.content.artifact = {"llama", "1", 42, "sha"};
  world.content.ready = controller::Condition{"Ready", "True", "Captured", "", 1};
  world.snapshot.reset();
  return world;
}

TEST(ContentPlan, ACaptureUnderWayIsLeftAloneUntilTheAgentCouldBeSilent) {
  const ContentPlan plan = PlanContent(World());
  EXPECT_EQ(plan.state, State::kWorkedOn);
  EXPECT_EQ(plan.look_again, Duration(seconds(30)));
}

// W13
TEST(ContentPlan, ANodeThatIsGoneFailsTheCapture) {
  ContentWorld world = World();
  world.node_exists = false;
  EXPECT_EQ(PlanContent(world).doubt, ContentDoubt::kNode);
  world.node_is_certain = true;
  const ContentPlan plan = PlanContent(world);
  EXPECT_EQ(plan.step, Step::kFail);
  EXPECT_EQ(plan.reason, reason::kNodeLost);
  EXPECT_THAT(plan.message, HasSubstr("node-a"));
}

// W13
TEST(ContentPlan, AnAgentThatStaysSilentFailsTheCaptureAfterAGrace) {
  ContentWorld world = World();
  world.agent = {Agent::kSilent, seconds(30), {}};
  EXPECT_EQ(PlanContent(world).state, State::kWorkedOn) << "it may be restarting";
  EXPECT_EQ(PlanContent(world).look_again, Duration(seconds(90)));
  world.agent.silent_for = minutes(2);
  EXPECT_EQ(PlanContent(world).reason, reason::kAgentLost);
}

// W13: agents of others have no Lease; for them there is only the deadline.
TEST(ContentPlan, AnAgentWithoutALeaseIsGivenUntilTheDeadline) {
  ContentWorld world = World();
  world.agent = {};
  EXPECT_EQ(PlanContent(world).look_again, Duration(minutes(119)));
  world.now += minutes(119);
  EXPECT_EQ(PlanContent(world).reason, reason::kDeadlineExceeded);
  world.snapshot->deadline = std::optional<Duration>(hours(3));
  EXPECT_EQ(PlanContent(world).state, State::kWorkedOn) << "the snapshot's own word counts";
  world.snapshot->deadline = std::optional<Duration>(Duration::zero());
  EXPECT_FALSE(PlanContent(world).look_again.has_value());
}

TEST(ContentPlan, WhatHasEndedIsLeftAlone) {
  ContentWorld world = World();
  world.node_exists = false;
  world.agent = {Agent::kSilent, hours(5), {}};
  world.content.failed = controller::Condition{"Failed", "True", "CheckpointFailed", "", 1};
  EXPECT_EQ(PlanContent(world).step, Step::kNothing);
  world.content.failed.reset();
  world.content.ready = controller::Condition{"Ready", "True", "Captured", "", 1};
  EXPECT_EQ(PlanContent(world).step, Step::kNothing) << "the artifact outlives its node";
}

// The other half of W14: a snapshot that is gone leaves nothing behind.
TEST(ContentPlan, AContentWithoutItsSnapshotIsDeleted) {
  ContentWorld world = World();
  world.snapshot.reset();
  EXPECT_EQ(PlanContent(world).doubt, ContentDoubt::kSnapshot);
  world.snapshot_is_certain = true;
  EXPECT_EQ(PlanContent(world).step, Step::kDelete);
  world.content.name = "somebody-elses";
  EXPECT_EQ(PlanContent(world).state, State::kWorkedOn) << "theirs to remove";
}

TEST(ContentPlan, AnAdministratorsContentIsNeverAnOrphanNorCaptured) {
  ContentWorld world = World();
  world.snapshot.reset();
  world.content.spec.snapshot.uid.clear();
  world.node_exists = false;
  EXPECT_EQ(PlanContent(world).step, Step::kNothing);
  world.content.policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanContent(world).step, Step::kAddFinalizer);
}

TEST(ContentPlan, ThePolicyFollowsTheSnapshotAndTheFinalizerThePolicy) {
  ContentWorld world = World();
  world.snapshot->policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanContent(world).step, Step::kTakePolicy);
  world.content.policy = DeletionPolicy::kDelete;
  EXPECT_EQ(PlanContent(world).step, Step::kAddFinalizer);
  world.content.held = true;
  EXPECT_EQ(PlanContent(world).state, State::kWorkedOn);
  world.snapshot->policy = DeletionPolicy::kRetain;
  EXPECT_EQ(PlanContent(world).step, Step::kTakePolicy);
  world.content.policy = DeletionPolicy::kRetain;
  EXPECT_EQ(PlanContent(world).state, State::kFinalizerNeedless);
  EXPECT_EQ(PlanContent(world).step, Step::kDropFinalizer);
}

// P9
TEST(ContentPlan, TheAgentIsAskedAndItsAnswerEndsIt) {
  ContentWorld world = Leaving();
  EXPECT_EQ(PlanContent(world).state, State::kDeletedAsked);
  EXPECT_EQ(PlanContent(world).look_again, Duration(seconds(30)));
  world.content.artifact_deleted =
      controller::Condition{"ArtifactDeleted", "False", "DeleteFailed", "disk is read-only", 1};
  EXPECT_EQ(PlanContent(world).step, Step::kWait) << "it tries again";
  world.content.artifact_deleted->status = "True";
  EXPECT_EQ(PlanContent(world).state, State::kDeletedAnswered);
  EXPECT_EQ(PlanContent(world).step, Step::kDropFinalizer);
}

TEST(ContentPlan, AnotherAgentIsAskedWhenTheFirstIsSilent) {
  ContentWorld world = Leaving();
  world.agent = {Agent::kSilent, seconds(1), {}};
  EXPECT_EQ(PlanContent(world).step, Step::kWait) << "there is no other";
  world.other_agent = "node-b";
  EXPECT_EQ(PlanContent(world).step, Step::kReassign);
  world.agent = {};
  EXPECT_EQ(PlanContent(world).step, Step::kReassign);
}

TEST(ContentPlan, NothingWaitsForEverForAnArtifact) {
  ContentWorld world = Leaving();
  world.content.artifact_deleted =
      controller::Condition{"ArtifactDeleted", "False", "DeleteFailed", "disk is read-only", 1};
  world.now += minutes(9);
  const ContentPlan plan = PlanContent(world);
  EXPECT_EQ(plan.step, Step::kDropFinalizer);
  EXPECT_EQ(plan.reason, reason::kArtifactAbandoned);
  EXPECT_THAT(plan.message, HasSubstr("artifact llama/1 was not deleted within 10m0s "
                                      "(DeleteFailed: disk is read-only)"));
}

TEST(ContentPlan, AnArtifactThatIsToBeKeptHoldsNobodyUp) {
  ContentWorld world = Leaving();
  world.content.policy = DeletionPolicy::kRetain;
  EXPECT_EQ(PlanContent(world).state, State::kDeletedRetained);
  world.content.held = false;
  EXPECT_EQ(PlanContent(world).step, Step::kNothing);
}

TEST(ContentPlan, AnArtifactOfTwoContentsStays) {
  ContentWorld world = Leaving();
  world.artifact_is_shared = true;
  EXPECT_EQ(PlanContent(world).state, State::kDeletedShared);
  EXPECT_EQ(PlanContent(world).step, Step::kDropFinalizer);
}

TEST(ContentPlan, AFailedCaptureHasNothingToDelete) {
  ContentWorld world = Leaving();
  world.content.artifact = {};
  world.content.ready.reset();
  EXPECT_EQ(PlanContent(world).state, State::kDeletedAsked) << "it may still be captured";
  world.content.failed = controller::Condition{"Failed", "True", "CheckpointFailed", "", 1};
  EXPECT_EQ(PlanContent(world).state, State::kDeletedNothingStored);
}

// The agent may have been killed between storing and telling.
TEST(ContentPlan, WhatAnAgentStoredBeforeItWasLostIsAskedFor) {
  ContentWorld world = Leaving();
  world.content.artifact = {};
  world.content.ready.reset();
  for (const std::string_view reason :
       {reason::kAgentLost, reason::kNodeLost, reason::kDeadlineExceeded}) {
    world.content.failed = controller::Condition{"Failed", "True", std::string(reason), "", 1};
    EXPECT_EQ(PlanContent(world).state, State::kDeletedAsked) << reason;
  }
}

TEST(ContentPlan, TheTableIsTheOneOfTheDocument) {
  std::map<std::string, std::string> rows;
  for (const ContentRow& row : ContentTable()) {
    const std::string step(row.step_name);
    const bool is_new =
        rows.emplace(row.name, row.reason.empty() ? step : step + " " + std::string(row.reason))
            .second;
    EXPECT_TRUE(is_new) << row.name;
  }
  EXPECT_EQ(DocumentedTable(HEARTH_SOURCE_DIR, "States of a PodSnapshotContent"), rows);
}

}  // namespace
}  // namespace hearth::snapshot
