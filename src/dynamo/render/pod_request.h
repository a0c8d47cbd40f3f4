#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/component.h"
#include "dynamo/model/component.h"

namespace hearth::dynamo {

// What pods are told of the cluster they run in; empty: they are not told.
struct Surroundings {
  std::string nats_address;
  std::string etcd_address;
  std::string model_express_url;
  std::string prometheus_endpoint;
  std::string discovery_backend = "kubernetes";
};

// Which of the pods of a component.
enum class Role {
  kAlone,   // the component has one node
  kLeader,  // of several nodes
  kWorker,
  kCheckpoint,  // runs once, to be captured
};

// Who starts pods on several nodes, and so how they find their leader.
struct GroveNames {
  std::string leader_host;  // "$(GROVE_PCSG_NAME)-...": expanded by the kubelet
  std::string node_rank;    // of a worker: a number, or "$((...))", which needs a shell
  bool rank_needs_shell = false;
};

// Names of Secrets that hold credentials for an image's registry.
using PullSecrets = std::function<std::vector<std::string>(std::string_view image)>;

// Everything that a pod of a component is made of.
struct PodRequest {
  const GraphFacts& graph;
  const api::dynamo::ComponentSpec& component;  // WithGraphDefaults
  Surroundings surroundings;
  std::string worker_hash;  // only of workers
  Role role = Role::kAlone;
  int32_t nodes = 1;
  GroveNames grove;  // of several nodes
  bool checkpoint_ready = false;
  std::string claim_template;  // of the GPU claim of an intra-pod memory service
  PullSecrets pull_secrets;    // may be empty
};

}  // namespace hearth::dynamo
