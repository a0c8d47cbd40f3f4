#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "snapshot/operator/facts.h"

// What is to be done for a PodSnapshot: facts in, plan out. Pure.
namespace hearth::snapshot {

struct PodFacts {
  std::string uid;
  std::string node;  // empty: not scheduled
};

// What is known of the cluster around one snapshot.
struct SnapshotWorld {
  SnapshotFacts snapshot;
  std::optional<ContentFacts> content;  // bound, or of the name that ours would have
  // Contents of administrators that name the snapshot; only looked for while it is not bound.
  std::vector<ContentFacts> provided;
  std::optional<PodFacts> pod;  // only looked for while it is not bound
  // The server itself was asked, because a cache may lag behind.
  bool content_is_certain = false;
  bool pod_is_certain = false;
  Duration deadline = Duration::zero();  // after creation; zero: none
  WallTime now;
};

enum class SnapshotState {
  kDeletedUnheld,
  kDeletedPolicyUnsettled,
  kDeletedWithContent,
  kDeletedContentLeaves,
  kDeletedAlone,
  kNew,
  kFailed,
  kBound,
  kBoundForeign,
  kBoundLost,
  kContentFound,
  kContentForeign,
  kDeadlineMalformed,
  kOverdue,
  kPodMissing,
  kPodStale,
  kPodUnscheduled,
  kPodScheduled,
};

enum class SnapshotStep {
  kNothing,
  kAddFinalizer,
  kCreateContent,  // and bind it
  kBind,
  kMirror,
  kRefuse,  // Failed, with a reason
  kWait,    // somebody else's move, which wakes us
  kDeleteContent,
  kDropFinalizer,
};

// One row of the state machine; the whole table is in docs/snapshots.md, and a test compares them.
struct SnapshotRow {
  SnapshotState state;
  std::string_view name;
  SnapshotStep step;
  std::string_view step_name;
  std::string_view reason;  // of kRefuse
};
const std::vector<SnapshotRow>& SnapshotTable();

// Which answer of the server would change the plan: ask before acting on it.
enum class Doubt { kNone, kContent, kPod };

struct SnapshotPlan {
  SnapshotState state = SnapshotState::kNew;
  SnapshotStep step = SnapshotStep::kNothing;
  Doubt doubt = Doubt::kNone;
  std::string reason;
  std::string message;                    // for people; what refuses or what is waited for
  const ContentFacts* content = nullptr;  // that the step is about, in the world
  std::optional<Duration> look_again;
};
// `world` must outlive the plan.
SnapshotPlan PlanSnapshot(const SnapshotWorld& world);

// When a capture is given up; `deadline` is for snapshots that say nothing themselves.
std::optional<WallTime> CaptureDeadline(const SnapshotFacts& snapshot, Duration deadline);

// The content for a snapshot whose pod runs on a node.
json::Value RenderContent(const SnapshotFacts& snapshot, const PodFacts& pod);
// The status after the plan: bound name and conditions.
json::Value RenderStatus(const SnapshotWorld& world, const SnapshotPlan& plan);

}  // namespace hearth::snapshot
