#pragma once

#include <string_view>

// Marks by which a pod template says that its pods may start from a checkpoint, and by which a pod
// shows that they do.
namespace hearth::admission::pod_restore {

inline constexpr std::string_view kCandidateAnnotation =
    "nvidia.com/dynamo-checkpoint-restore-candidate";  // "true"
inline constexpr std::string_view kCheckpointAnnotation = "nvidia.com/dynamo-checkpoint-name";
inline constexpr std::string_view kTargetsAnnotation = "nvidia.com/snapshot-target-containers";

// On a pod that is shaped already, or is itself being captured.
inline constexpr std::string_view kCheckpointIdLabel = "nvidia.com/snapshot-checkpoint-id";
inline constexpr std::string_view kSourceLabel = "nvidia.com/snapshot-is-checkpoint-source";

// The operator stamps these on the pods of its components. All three must be there.
inline constexpr std::string_view kOperatorLabels[] = {
    "nvidia.com/dynamo-component", "nvidia.com/dynamo-namespace", "nvidia.com/selector"};

}  // namespace hearth::admission::pod_restore
