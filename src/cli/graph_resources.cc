#include "cli/graph_resources.h"

namespace hearth::cli {

using kube::ResourceType;

const ResourceType& Graphs() {
  static const ResourceType kType{"nvidia.com", "v1beta1", "dynamographdeployments",
                                  "DynamoGraphDeployment", true};
  return kType;
}

const ResourceType& ComponentDeployments() {
  static const ResourceType kType{"nvidia.com", "v1beta1", "dynamocomponentdeployments",
                                  "DynamoComponentDeployment", true};
  return kType;
}

const ResourceType& Checkpoints() {
  static const ResourceType kType{"nvidia.com", "v1alpha1", "dynamocheckpoints", "DynamoCheckpoint",
                                  true};
  return kType;
}

const ResourceType& PodSnapshots() {
  static const ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot", true};
  return kType;
}

const ResourceType& PodSnapshotContents() {
  static const ResourceType kType{"nvidia.com", "v1alpha1", "podsnapshotcontents",
                                  "PodSnapshotContent", false};
  return kType;
}

const ResourceType& Jobs() {
  static const ResourceType kType{"batch", "v1", "jobs", "Job", true};
  return kType;
}

const ResourceType& ReplicaSets() {
  static const ResourceType kType{"apps", "v1", "replicasets", "ReplicaSet", true};
  return kType;
}

}  // namespace hearth::cli
