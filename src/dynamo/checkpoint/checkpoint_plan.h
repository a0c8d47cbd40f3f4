#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/checkpoint/checkpoint_facts.h"

// What is to be done for a DynamoCheckpoint that is not being deleted: facts in, plan out. Pure.
namespace hearth::dynamo {

enum class JobProgress { kNone, kForeign, kRunning, kComplete, kFailed };

struct JobFacts {
  JobProgress progress = JobProgress::kNone;
  std::string message;  // of a failure
};

// A PodSnapshot that is controlled by the checkpoint and is for the version it asks for.
struct OwnedSnapshot {
  std::string name;
  bool bound = false;
  bool ready = false;
  bool failed = false;
  std::string message;  // of a failure
};

struct SourcePod {
  std::string name;
  std::string uid;
};

// What is known of the cluster around one checkpoint.
struct CheckpointWorld {
  CheckpointFacts checkpoint;
  bool enabled = true;         // checkpoints, by the operator's configuration
  bool memory_allowed = true;  // together with a memory service
  std::string unprepared;      // what the template lacks for its memory service; empty: nothing
  // Another checkpoint has the id, and is the one that keeps it: ready before us, else older, else
  // first by name.
  std::string id_owner;
  JobFacts job;  // of the name that it should have
  std::vector<OwnedSnapshot> snapshots;
  // Somebody else's PodSnapshot has the name that ours would have.
  bool snapshot_name_taken = false;
  std::optional<SourcePod> source;  // of the Job, once it has a node
};

enum class CheckpointState {
  kNew,
  kIdMismatch,
  kIdTaken,
  kDisabled,
  kVersionChanged,
  kMemoryForbidden,
  kUnprepared,
  kJobForeign,
  kToCreate,
  kJobFound,
  kJobUnnamed,
  kAmbiguous,
  kSnapshotFailed,
  kJobFailed,
  kJobGone,
  kSnapshotNameTaken,
  kSourceAwaited,
  kSourceThere,
  kCapturing,
  kJobAwaited,
  kComplete,
  kReady,
  kFailed,
};

enum class CheckpointStep {
  kNothing,
  kSetId,      // label and status
  kReset,      // to Pending
  kCreateJob,  // and then Creating
  kAdoptJob,   // Creating: it was made before somebody died
  kCreateSnapshot,
  kFinish,  // Ready
  kFail,
  kWait,  // somebody else's move, which wakes us
};

// One row of the state machine; the whole table is in the docs, and a test compares them.
struct CheckpointRow {
  CheckpointState state;
  std::string_view name;
  CheckpointStep step;
  std::string_view step_name;
  std::string_view reason;  // of the condition
};
const std::vector<CheckpointRow>& CheckpointTable();

struct CheckpointPlan {
  CheckpointState state = CheckpointState::kNew;
  CheckpointStep step = CheckpointStep::kNothing;
  std::string reason;
  std::string message;  // for people
};
CheckpointPlan PlanCheckpoint(const CheckpointWorld& world);

// The name of the PodSnapshot that a checkpoint makes for a version. Never looked up by it.
std::string SnapshotNameOf(const CheckpointFacts& checkpoint);

}  // namespace hearth::dynamo
