#pragma once

#include <string>
#include <vector>

#include "kube/model/object.h"

namespace hearth::dynamo {

// A graph and all that belongs to it, as a cluster has it.
struct GraphObjects {
  kube::Object graph;                     // nvidia.com/v1beta1
  std::vector<kube::Object> components;   // DynamoComponentDeployments
  std::vector<kube::Object> checkpoints;  // of its components, and those that they name
  std::vector<kube::Object> jobs;         // of the checkpoints
  std::vector<kube::Object> snapshots;    // PodSnapshots of the checkpoints
  std::vector<kube::Object> contents;     // what these are bound to
  std::vector<kube::Object> pods;         // of the graph and of the Jobs
  std::vector<kube::Object> events;       // events.k8s.io/v1, of the namespace
  std::vector<std::string> unread;        // what could not be asked for, and why
};

}  // namespace hearth::dynamo
