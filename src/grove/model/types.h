#pragma once

#include "kube/model/names.h"

// What Grove's kinds are called by the API server.
namespace hearth::grove {

const kube::ResourceType& PodCliqueSets();
const kube::ResourceType& PodCliqueScalingGroups();
const kube::ResourceType& PodCliques();
const kube::ResourceType& PodGangs();
const kube::ResourceType& ClusterTopologyBindings();

}  // namespace hearth::grove
