#pragma once

#include <string_view>

// What the parts of a snapshot call each other by: labels, annotations, volumes, files. They are
// upstream's, so that its manifests, workloads and agents meet ours half way.
namespace hearth::snapshot {

// ---- Labels.
// "true" on a pod that is to be captured; keeps it away from whoever restores.
inline constexpr std::string_view kSourceLabel = "nvidia.com/snapshot-is-checkpoint-source";
// "true": the agent of the node has looked at the pod and will capture it once it is ready.
inline constexpr std::string_view kEligibleLabel = "nvidia.com/snapshot-capture-eligible";
// Which artifact: on source pods, restore pods, capture jobs and snapshots.
inline constexpr std::string_view kCheckpointIdLabel = "nvidia.com/snapshot-checkpoint-id";
inline constexpr std::string_view kRestoreTargetLabel = "nvidia.com/snapshot-is-restore-target";
// Which node's agent a PodSnapshotContent is for.
inline constexpr std::string_view kNodeLabel = "nvidia.com/snapshot-node";
// The DynamoCheckpoint behind a PodSnapshot or a capture pod.
inline constexpr std::string_view kOwnerLabel = "nvidia.com/snapshot-owner";

// ---- Annotations.
inline constexpr std::string_view kTargetsAnnotation = "nvidia.com/snapshot-target-containers";
inline constexpr std::string_view kVersionAnnotation = "nvidia.com/snapshot-artifact-version";
// Followed by '.' and the container's name; without, they sum up all targets of a pod.
inline constexpr std::string_view kRestoreStatusAnnotation = "nvidia.com/snapshot-restore-status";
inline constexpr std::string_view kRestoreContainerIdAnnotation =
    "nvidia.com/snapshot-restore-container-id";
// Why the sum is what it is, for people: "engine-0: the artifact is not there yet".
inline constexpr std::string_view kRestoreMessageAnnotation = "nvidia.com/snapshot-restore-message";
// Of older versions; only ever cleared.
inline constexpr std::string_view kOldCheckpointStatusAnnotation =
    "nvidia.com/snapshot-checkpoint-status";
// Where the memory service of the pod saves and loads, and whether completion files carry the pod's
// uid ("pod-uid") or not ("shared").
inline constexpr std::string_view kGmsDirectoryAnnotation =
    "nvidia.com/snapshot-gms-checkpoint-dir";
inline constexpr std::string_view kGmsCompletionModeAnnotation =
    "nvidia.com/snapshot-gms-completion-file-mode";
// What becomes of the artifact when a PodSnapshot, or its content, is deleted: kDeleteArtifact or
// kRetainArtifact, which is meant when nothing is said. It may change any time before. The content
// carries what its PodSnapshot says.
inline constexpr std::string_view kDeletionPolicyAnnotation = "nvidia.com/snapshot-deletion-policy";
inline constexpr std::string_view kDeleteArtifact = "Delete";
inline constexpr std::string_view kRetainArtifact = "Retain";
// On a PodSnapshot: how long after its creation it is given up, "45m"; "0" is never.
inline constexpr std::string_view kDeadlineAnnotation = "nvidia.com/snapshot-capture-deadline";
// Meshes whose sidecars would keep a capture job alive.
inline constexpr std::string_view kLinkerdInjectAnnotation = "linkerd.io/inject";
inline constexpr std::string_view kIstioInjectAnnotation = "sidecar.istio.io/inject";

// ---- Values of kRestoreStatusAnnotation.
inline constexpr std::string_view kInProgress = "in_progress";
inline constexpr std::string_view kCompleted = "completed";
inline constexpr std::string_view kFailed = "failed";
inline constexpr std::string_view kWaiting = "waiting";  // only of the sum: nothing begun yet

// ---- In the pod.
inline constexpr std::string_view kControlVolume = "snapshot-control";
inline constexpr std::string_view kControlDirectory = "/snapshot-control";
inline constexpr std::string_view kControlDirectoryEnv = "SNAPSHOT_CONTROL_DIR";
inline constexpr std::string_view kOldControlDirectoryEnv = "DYN_SNAPSHOT_CONTROL_DIR";
inline constexpr std::string_view kStandbyEnv = "DYN_SNAPSHOT_RESTORE_STANDBY";  // "1"
inline constexpr std::string_view kSeccompProfile = "profiles/block-iouring.json";

// ---- Files of the control directory.
inline constexpr std::string_view kReadyFile = "ready-for-snapshot";            // by the workload
inline constexpr std::string_view kSnapshotCompleteFile = "snapshot-complete";  // by the agent
inline constexpr std::string_view kRestoreCompleteFile = "restore-complete";    // by the agent
inline constexpr std::string_view kRestoreContextFile = "restore-context.json";
inline constexpr std::string_view kCudaJobFile = "cuda-checkpoint-job";
inline constexpr std::string_view kCudaJobFileEnv = "CUDA_CHECKPOINT_JOB_FILE";

// ---- Files that the memory service writes where kGmsDirectoryAnnotation says, "-<pod uid>" behind
// them unless kGmsCompletionModeAnnotation is "shared".
inline constexpr std::string_view kGmsSaveCompleteFile = "gms-save-complete";
inline constexpr std::string_view kGmsLoadCompleteFile = "gms-load-complete";
inline constexpr std::string_view kGmsModePodUid = "pod-uid";
inline constexpr std::string_view kGmsModeShared = "shared";

// ---- Objects.
inline constexpr std::string_view kSnapshotFinalizer = "nvidia.com/podsnapshotcontent-cleanup";
// On a content whose artifact is to be deleted with it. A content that has this and is being
// deleted asks the agent that kNodeLabel names to delete the artifact of its status; the agent
// answers with the condition ArtifactDeleted, and the operator takes the finalizer away.
inline constexpr std::string_view kArtifactFinalizer = "nvidia.com/snapshot-artifact-cleanup";
inline constexpr std::string_view kContentNamePrefix =
    "podsnapshotcontent-";                                                 // + the snapshot's uid
inline constexpr std::string_view kLeaseNamePrefix = "checkpoint-lease-";  // see lease_names.h
inline constexpr std::string_view kArtifactLeaseNamePrefix = "checkpoint-artifact-";

}  // namespace hearth::snapshot
