#pragma once

#include <string_view>

// Marks by which a pod template says that its pods may start from a checkpoint.
namespace hearth::admission::pod_restore {

inline constexpr std::string_view kCandidateAnnotation =
    "nvidia.com/dynamo-checkpoint-restore-candidate";  // "true"
inline constexpr std::string_view kCheckpointAnnotation = "nvidia.com/dynamo-checkpoint-name";

// The operator stamps these on the pods of its components. All three must be there.
inline constexpr std::string_view kOperatorLabels[] = {
    "nvidia.com/dynamo-component", "nvidia.com/dynamo-namespace", "nvidia.com/selector"};

}  // namespace hearth::admission::pod_restore
