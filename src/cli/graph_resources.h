#pragma once

#include "kube/model/names.h"

// The kinds that commands for graphs ask for.
namespace hearth::cli {

const kube::ResourceType& Graphs();                // nvidia.com/v1beta1
const kube::ResourceType& ComponentDeployments();  // nvidia.com/v1beta1
const kube::ResourceType& Checkpoints();
const kube::ResourceType& PodSnapshots();
const kube::ResourceType& PodSnapshotContents();
const kube::ResourceType& Jobs();
const kube::ResourceType& ReplicaSets();

}  // namespace hearth::cli
