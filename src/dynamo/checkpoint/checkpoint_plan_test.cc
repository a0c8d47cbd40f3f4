#include "dynamo/checkpoint/checkpoint_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/testing/status_matchers.h"

namespace hearth::dynamo {
namespace {

using Phase = api::dynamo::CheckpointPhase;
using State = CheckpointState;
using Step = CheckpointStep;

CheckpointWorld World(Phase phase) {
  CheckpointWorld world;
  CheckpointFacts& checkpoint = world.checkpoint;
  checkpoint.name = "warm";
  checkpoint.name_space = "ns";
  checkpoint.uid = "u";
  checkpoint.id_label = "id";
  checkpoint.artifact_version = "1";
  checkpoint.status.phase = phase;
  checkpoint.status.checkpoint_id = "id";
  if (phase != Phase::kPending) {
    checkpoint.status.job_name = "checkpoint-job-id-1";
  }
  return world;
}

CheckpointWorld Running() {
  CheckpointWorld world = World(Phase::kCreating);
  world.job.progress = JobProgress::kRunning;
  return world;
}

CheckpointWorld With(CheckpointWorld world, const std::function<void(CheckpointWorld&)>& change) {
  change(world);
  return world;
}

struct Case {
  const char* name;
  CheckpointWorld world;
  State state;
  Step step;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      // K7
      {"new", CheckpointWorld(), State::kNew, Step::kSetId},
      {"ready", World(Phase::kReady), State::kReady, Step::kNothing},
      {"failed", World(Phase::kFailed), State::kFailed, Step::kNothing},
      {"other label",
       With(World(Phase::kPending), [](auto& world) { world.checkpoint.id_label = "old"; }),
       State::kIdMismatch, Step::kSetId},
      {"version changed",
       With(World(Phase::kReady), [](auto& world) { world.checkpoint.artifact_version = "2"; }),
       State::kVersionChanged, Step::kReset},
      {"version changes while it is captured",
       With(Running(), [](auto& world) { world.checkpoint.artifact_version = "2"; }),
       State::kSourceAwaited, Step::kWait},
      {"a failed one is tried with another version",
       With(World(Phase::kFailed), [](auto& world) { world.checkpoint.artifact_version = "2"; }),
       State::kVersionChanged, Step::kReset},
      // W5
      {"id taken", With(World(Phase::kPending), [](auto& world) { world.id_owner = "first"; }),
       State::kIdTaken, Step::kFail},
      {"ready keeps its id",
       With(World(Phase::kReady), [](auto& world) { world.id_owner = "first"; }), State::kReady,
       Step::kNothing},
      {"failed for its id",
       With(World(Phase::kFailed), [](auto& world) { world.id_owner = "first"; }), State::kFailed,
       Step::kNothing},
      {"gate closed",
       With(World(Phase::kPending),
            [](auto& world) {
              world.memory_allowed = false;
              world.checkpoint.spec.gpu_memory_service.emplace().enabled = true;
            }),
       State::kMemoryForbidden, Step::kFail},
      {"gate is about memory only",
       With(World(Phase::kPending), [](auto& world) { world.memory_allowed = false; }),
       State::kToCreate, Step::kCreateJob},
      // K6
      {"unprepared",
       With(World(Phase::kPending), [](auto& world) { world.unprepared = "no server"; }),
       State::kUnprepared, Step::kFail},
      // W11
      {"disabled", With(World(Phase::kPending), [](auto& world) { world.enabled = false; }),
       State::kDisabled, Step::kWait},
      {"to create", World(Phase::kPending), State::kToCreate, Step::kCreateJob},
      {"made before a crash",
       With(World(Phase::kPending),
            [](auto& world) { world.job.progress = JobProgress::kRunning; }),
       State::kJobFound, Step::kAdoptJob},
      {"job of somebody else",
       With(World(Phase::kPending),
            [](auto& world) { world.job.progress = JobProgress::kForeign; }),
       State::kJobForeign, Step::kFail},
      // K9
      {"no pod yet", Running(), State::kSourceAwaited, Step::kWait},
      // K10
      {"pod there",
       With(Running(),
            [](auto& world) {
              world.source = SourcePod{"p", "u"};
            }),
       State::kSourceThere, Step::kCreateSnapshot},
      // K11
      {"snapshot ready, job runs",
       With(Running(),
            [](auto& world) { world.snapshots = {{.name = "s", .bound = true, .ready = true}}; }),
       State::kJobAwaited, Step::kWait},
      {"snapshot and job ready",
       With(Running(),
            [](auto& world) {
              world.snapshots = {{.name = "s", .bound = true, .ready = true}};
              world.job.progress = JobProgress::kComplete;
            }),
       State::kComplete, Step::kFinish},
      {"snapshot ready but unbound",
       With(Running(),
            [](auto& world) {
              world.snapshots = {{.name = "s", .ready = true}};
              world.job.progress = JobProgress::kComplete;
            }),
       State::kCapturing, Step::kWait},
      {"snapshot failed, unbound",
       With(Running(), [](auto& world) { world.snapshots = {{.name = "s", .failed = true}}; }),
       State::kSnapshotFailed, Step::kFail},
      // K12, W6
      {"job failed without snapshot",
       With(Running(), [](auto& world) { world.job.progress = JobProgress::kFailed; }),
       State::kJobFailed, Step::kFail},
      {"job failed after the capture",
       With(Running(),
            [](auto& world) {
              world.snapshots = {{.name = "s", .bound = true, .ready = true}};
              world.job.progress = JobProgress::kFailed;
            }),
       State::kJobFailed, Step::kFail},
      // K13
      {"snapshot of somebody else",
       With(Running(),
            [](auto& world) {
              world.snapshot_name_taken = true;
              world.source = SourcePod{"p", "u"};
            }),
       State::kSnapshotNameTaken, Step::kFail},
      // K14
      {"job gone", World(Phase::kCreating), State::kJobGone, Step::kFail},
      {"job gone, captured",
       With(World(Phase::kCreating),
            [](auto& world) { world.snapshots = {{.name = "s", .bound = true, .ready = true}}; }),
       State::kJobGone, Step::kFail},
      {"job gone, snapshot failed",
       With(World(Phase::kCreating),
            [](auto& world) { world.snapshots = {{.name = "s", .failed = true}}; }),
       State::kSnapshotFailed, Step::kFail},
      // K16
      {"two snapshots",
       With(Running(),
            [](auto& world) {
              world.snapshots = {{.name = "s"}, {.name = "t"}};
            }),
       State::kAmbiguous, Step::kWait},
      // K18
      {"no job in status",
       With(Running(), [](auto& world) { world.checkpoint.status.job_name.clear(); }),
       State::kJobUnnamed, Step::kReset},
  };
  return kCases;
}

// A108
TEST(CheckpointPlanTest, EveryCase) {
  for (const Case& one : Cases()) {
    const CheckpointPlan plan = PlanCheckpoint(one.world);
    EXPECT_EQ(plan.state, one.state) << one.name;
    EXPECT_EQ(plan.step, one.step) << one.name;
    if (plan.step == Step::kFail) {
      EXPECT_NE(plan.reason, "") << one.name;
      EXPECT_NE(plan.message, "") << one.name;
    }
  }
}

TEST(CheckpointPlanTest, EveryRowOfTheTableIsReached) {
  std::set<State> reached;
  for (const Case& one : Cases()) {
    reached.insert(PlanCheckpoint(one.world).state);
  }
  for (const CheckpointRow& row : CheckpointTable()) {
    EXPECT_TRUE(reached.contains(row.state)) << row.name;
  }
}

// W4: each version is a capture of its own
TEST(CheckpointPlanTest, SnapshotsAreNamedForTheirVersion) {
  CheckpointFacts checkpoint;
  checkpoint.name = "warm";
  checkpoint.artifact_version = "1";
  EXPECT_EQ(SnapshotNameOf(checkpoint), "warm");
  checkpoint.artifact_version = "2";
  EXPECT_EQ(SnapshotNameOf(checkpoint), "warm-v2");
}

}  // namespace
}  // namespace hearth::dynamo
