#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "snapshot/operator/agent_watch.h"
#include "snapshot/operator/facts.h"

// What is to be done for a PodSnapshotContent: facts in, plan out. Pure.
//
// The agent of the node does the work; here is what must happen when it cannot: a capture that
// nobody will finish fails, and a content that is deleted leaves, with its artifact where that can
// be had, without it after a while.
namespace hearth::snapshot {

struct ContentLimits {
  Duration deadline = std::chrono::hours(2);           // of a capture; zero: none
  Duration agent_grace = std::chrono::minutes(2);      // for an agent to come back
  Duration delete_timeout = std::chrono::minutes(10);  // for an artifact to be deleted
};

// What is known of the cluster around one content.
struct ContentWorld {
  ContentFacts content;
  std::optional<SnapshotFacts> snapshot;  // the one it belongs to
  bool node_exists = true;                // that of the source pod
  // The server itself was asked, because a cache may lag behind.
  bool snapshot_is_certain = false;
  bool node_is_certain = false;
  AgentSight agent;                 // of the node that the content is addressed to
  std::string other_agent;          // a node whose agent is alive, another one; empty: none
  bool artifact_is_shared = false;  // another content has the same
  ContentLimits limits;
  WallTime now;
};

enum class ContentState {
  kDeletedUnheld,
  kDeletedRetained,
  kDeletedShared,
  kDeletedNothingStored,
  kDeletedAnswered,
  kDeletedOverdue,
  kDeletedAgentSilent,
  kDeletedAsked,
  kOrphaned,
  kPolicyDiffers,
  kFinalizerMissing,
  kFinalizerNeedless,
  kFinished,
  kNodeLost,
  kAgentLost,
  kOverdue,
  kWorkedOn,
};

enum class ContentStep {
  kNothing,
  kWait,
  kDropFinalizer,
  kAddFinalizer,
  kReassign,    // to the agent of another node
  kTakePolicy,  // of the snapshot
  kDelete,
  kFail,
};

// One row of the state machine; the whole table is in docs/snapshots.md, and a test compares them.
struct ContentRow {
  ContentState state;
  std::string_view name;
  ContentStep step;
  std::string_view step_name;
  std::string_view reason;  // of kFail, or of the event that goes with the step
};
const std::vector<ContentRow>& ContentTable();

enum class ContentDoubt { kNone, kSnapshot, kNode };

struct ContentPlan {
  ContentState state = ContentState::kFinished;
  ContentStep step = ContentStep::kNothing;
  ContentDoubt doubt = ContentDoubt::kNone;  // ask the server before acting
  std::string reason;
  std::string message;
  std::optional<Duration> look_again;
};
ContentPlan PlanContent(const ContentWorld& world);

}  // namespace hearth::snapshot
