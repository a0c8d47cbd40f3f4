#include "dynamo/checkpoint/checkpoint_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::dynamo {
namespace {

using Phase = api::dynamo::CheckpointPhase;
using State = CheckpointState;
using Step = CheckpointStep;

CheckpointPlan In(State state, std::string message = "") {
  CheckpointPlan plan;
  plan.state = state;
  plan.message = std::move(message);
  return plan;
}

CheckpointPlan Pending(const CheckpointWorld& world) {
  const CheckpointFacts& checkpoint = world.checkpoint;
  if (checkpoint.memory() != nullptr && !world.memory_allowed) {
    return In(State::kMemoryForbidden,
              "GMS + Snapshot is temporarily disabled; disable gpuMemoryService or enable the "
              "internal GMS + Snapshot gate");
  }
  if (!world.unprepared.empty()) {
    return In(State::kUnprepared, world.unprepared);
  }
  switch (world.job.progress) {
    case JobProgress::kNone:
      return In(State::kToCreate);
    case JobProgress::kForeign:
      return In(State::kJobForeign,
                fmt::format("Job {} exists and belongs to somebody else; delete it, or give the "
                            "checkpoint another artifact version",
                            checkpoint.JobName()));
    default:
      return In(State::kJobFound, fmt::format("Checkpoint job {} created", checkpoint.JobName()));
  }
}

// The capture is done and durable, or it is not; the Job, and with it the saver, has the last word.
CheckpointPlan Observed(const CheckpointWorld& world, const OwnedSnapshot& snapshot) {
  if (snapshot.failed) {
    return In(State::kSnapshotFailed, snapshot.message.empty()
                                          ? fmt::format("PodSnapshot {} failed", snapshot.name)
                                          : snapshot.message);
  }
  if (world.job.progress == JobProgress::kFailed) {
    return In(State::kJobFailed, fmt::format("checkpoint job failed: {}", world.job.message));
  }
  if (world.job.progress == JobProgress::kNone || world.job.progress == JobProgress::kForeign) {
    return In(State::kJobGone, "checkpoint job was deleted before it was complete");
  }
  if (!snapshot.ready || !snapshot.bound) {
    return In(State::kCapturing, fmt::format("PodSnapshot {} is being captured", snapshot.name));
  }
  if (world.job.progress == JobProgress::kComplete) {
    return In(State::kComplete);
  }
  return In(State::kJobAwaited, "captured; waiting for the checkpoint job to complete");
}

CheckpointPlan Creating(const CheckpointWorld& world) {
  if (world.checkpoint.status.job_name.empty()) {
    return In(State::kJobUnnamed, "checkpoint job is missing from status");
  }
  if (world.snapshots.size() > 1) {
    return In(State::kAmbiguous, fmt::format("PodSnapshots {} and {} are both of this checkpoint; "
                                             "delete one of them",
                                             world.snapshots[0].name, world.snapshots[1].name));
  }
  if (!world.snapshots.empty()) {
    return Observed(world, world.snapshots.front());
  }
  if (world.job.progress == JobProgress::kFailed) {
    return In(State::kJobFailed, fmt::format("checkpoint job failed: {}", world.job.message));
  }
  if (world.job.progress == JobProgress::kNone || world.job.progress == JobProgress::kForeign) {
    return In(State::kJobGone, "checkpoint job was deleted");
  }
  if (world.snapshot_name_taken) {
    return In(State::kSnapshotNameTaken,
              fmt::format("PodSnapshot {} belongs to somebody else; delete it, or give the "
                          "checkpoint another artifact version",
                          SnapshotNameOf(world.checkpoint)));
  }
  return world.source ? In(State::kSourceThere) : In(State::kSourceAwaited);
}

CheckpointPlan Find(const CheckpointWorld& world) {
  const CheckpointFacts& checkpoint = world.checkpoint;
  const std::string id = checkpoint.Id();
  if (checkpoint.status.checkpoint_id.empty() || !checkpoint.status.phase) {
    return In(State::kNew);
  }
  if (checkpoint.id_label != id) {
    return In(State::kIdMismatch);
  }
  const Phase phase = *checkpoint.status.phase;
  const bool changed = phase != Phase::kCreating && !checkpoint.status.job_name.empty() &&
                       checkpoint.status.job_name != checkpoint.JobName();
  if (phase == Phase::kReady && !changed) {
    return In(State::kReady);  // whatever happens around it: there is an artifact
  }
  if (!world.id_owner.empty()) {
    return phase == Phase::kFailed && !changed
               ? In(State::kFailed)
               : In(State::kIdTaken,
                    fmt::format("checkpoint ID {} is already owned by {}", id, world.id_owner));
  }
  if (changed) {
    return In(State::kVersionChanged);
  }
  if (phase == Phase::kFailed) {
    return In(State::kFailed);
  }
  if (!world.enabled) {
    return In(State::kDisabled,
              "checkpoint functionality is disabled in the operator configuration");
  }
  return phase == Phase::kCreating ? Creating(world) : Pending(world);
}

const CheckpointRow& RowOf(State state) {
  const auto& table = CheckpointTable();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const CheckpointRow& each) { return each.state == state; });
  CHECK(row != table.end());
  return *row;
}

}  // namespace

const std::vector<CheckpointRow>& CheckpointTable() {
  static const std::vector<CheckpointRow> kTable = {
      {State::kNew, "New", Step::kSetId, "set id", ""},
      {State::kIdMismatch, "IdMismatch", Step::kSetId, "set id", ""},
      {State::kIdTaken, "IdTaken", Step::kFail, "fail", "CheckpointIDConflict"},
      {State::kDisabled, "Disabled", Step::kWait, "wait", "CheckpointDisabled"},
      {State::kVersionChanged, "VersionChanged", Step::kReset, "reset", ""},
      {State::kMemoryForbidden, "MemoryForbidden", Step::kFail, "fail", "GMSSnapshotDisabled"},
      {State::kUnprepared, "Unprepared", Step::kFail, "fail", "GMSPodTemplateNotPrepared"},
      {State::kJobForeign, "JobForeign", Step::kFail, "fail", "JobNameConflict"},
      {State::kToCreate, "ToCreate", Step::kCreateJob, "create job", "JobCreated"},
      {State::kJobFound, "JobFound", Step::kAdoptJob, "adopt job", "JobCreated"},
      {State::kJobUnnamed, "JobUnnamed", Step::kReset, "reset", ""},
      {State::kAmbiguous, "Ambiguous", Step::kWait, "wait", "PodSnapshotLookupAmbiguous"},
      {State::kSnapshotFailed, "SnapshotFailed", Step::kFail, "fail", "PodSnapshotFailed"},
      {State::kJobFailed, "JobFailed", Step::kFail, "fail", "JobFailed"},
      {State::kJobGone, "JobGone", Step::kFail, "fail", "JobDeletedBeforeComplete"},
      {State::kSnapshotNameTaken, "SnapshotNameTaken", Step::kFail, "fail",
       "PodSnapshotNameConflict"},
      {State::kSourceAwaited, "SourceAwaited", Step::kWait, "wait", ""},
      {State::kSourceThere, "SourceThere", Step::kCreateSnapshot, "create snapshot", ""},
      {State::kCapturing, "Capturing", Step::kWait, "wait", ""},
      {State::kJobAwaited, "JobAwaited", Step::kWait, "wait", ""},
      {State::kComplete, "Complete", Step::kFinish, "finish", "PodSnapshotAndJobReady"},
      {State::kReady, "Ready", Step::kNothing, "nothing", ""},
      {State::kFailed, "Failed", Step::kNothing, "nothing", ""},
  };
  return kTable;
}

CheckpointPlan PlanCheckpoint(const CheckpointWorld& world) {
  CheckpointPlan plan = Find(world);
  const CheckpointRow& row = RowOf(plan.state);
  plan.step = row.step;
  plan.reason = row.reason;
  return plan;
}

std::string SnapshotNameOf(const CheckpointFacts& checkpoint) {
  return checkpoint.artifact_version == snapshot::kDefaultArtifactVersion
             ? checkpoint.name
             : fmt::format("{}-v{}", checkpoint.name, checkpoint.artifact_version);
}

}  // namespace hearth::dynamo
