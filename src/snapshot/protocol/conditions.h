#pragma once

#include <string_view>

// What PodSnapshots and their contents say about themselves. Reasons are stable: programs branch on
// them. Most are upstream's.
namespace hearth::snapshot {

// ---- Condition types.
inline constexpr std::string_view kReadyCondition = "Ready";
inline constexpr std::string_view kFailedCondition = "Failed";
// Of a content that is being deleted: the agent's answer, see kArtifactFinalizer.
inline constexpr std::string_view kArtifactDeletedCondition = "ArtifactDeleted";

namespace reason {

// ---- Ready.
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kCaptured = "Captured";

// ---- Failed, said by the operator.
inline constexpr std::string_view kSourcePodNotFound = "SourcePodNotFound";  // or by the agent
inline constexpr std::string_view kStalePodReference = "StalePodReference";  // or by the agent
inline constexpr std::string_view kContentConflict = "ContentConflict";
inline constexpr std::string_view kContentLost = "ContentLost";
inline constexpr std::string_view kInvalidDeadline = "InvalidDeadline";
inline constexpr std::string_view kDeadlineExceeded = "DeadlineExceeded";
inline constexpr std::string_view kNodeLost = "NodeLost";
inline constexpr std::string_view kAgentLost = "AgentLost";

// ---- Failed, said by the agent.
inline constexpr std::string_view kSourcePodGone = "SourcePodGone";
inline constexpr std::string_view kMissingCheckpointId = "MissingCheckpointID";
inline constexpr std::string_view kInvalidCheckpointId = "InvalidCheckpointID";
inline constexpr std::string_view kCheckpointContainerFailed = "CheckpointContainerFailed";
inline constexpr std::string_view kInvalidTargetContainer = "InvalidTargetContainer";
inline constexpr std::string_view kContainerNotResolved = "ContainerNotResolved";
inline constexpr std::string_view kInvalidDestination = "InvalidDestination";
inline constexpr std::string_view kCheckpointFailed = "CheckpointFailed";
inline constexpr std::string_view kLeaseCancelled = "LeaseCancelled";
// The agent was killed, or told to end, in the middle: what it left is in no known state.
inline constexpr std::string_view kCaptureInterrupted = "CaptureInterrupted";
// The id and version are taken: by another snapshot, or another namespace.
inline constexpr std::string_view kArtifactConflict = "ArtifactConflict";
// What this order stored is damaged or not complete any more.
inline constexpr std::string_view kArtifactDamaged = "ArtifactDamaged";
inline constexpr std::string_view kGmsSaveIncomplete = "GmsSaveIncomplete";

// ---- ArtifactDeleted, said by the agent.
inline constexpr std::string_view kDeleted = "Deleted";              // True
inline constexpr std::string_view kNothingStored = "NothingStored";  // True
inline constexpr std::string_view kDeleteFailed = "DeleteFailed";    // False; it tries again

// ---- Events only.
inline constexpr std::string_view kContentCreateFailed = "SnapshotContentCreateFailed";
inline constexpr std::string_view kWaitingForNode = "WaitingForNode";
inline constexpr std::string_view kInvalidDeletionPolicy = "InvalidDeletionPolicy";
inline constexpr std::string_view kArtifactAbandoned = "ArtifactAbandoned";
inline constexpr std::string_view kArtifactShared = "ArtifactShared";
inline constexpr std::string_view kOrphaned = "Orphaned";

}  // namespace reason
}  // namespace hearth::snapshot
