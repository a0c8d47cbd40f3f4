#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "base/result.h"
#include "dynamo/model/component.h"
#include "dynamo/render/pod_request.h"
#include "json/value.h"

namespace hearth::dynamo {

struct GroveSettings {
  std::string termination_delay = "15m";
};

// What a component brings to a graph besides its spec.
struct ComponentState {
  bool checkpoint_ready = false;
  bool waits = false;  // for its checkpoint: no engines yet
  std::string claim_template;
  std::string worker_hash;
};

struct CliqueOutline;

struct GraphRequest {
  const GraphFacts& graph;
  Surroundings surroundings;
  GroveSettings grove;
  std::map<std::string, ComponentState> components;  // by name; absent: as it is
  PullSecrets pull_secrets;
  // Says how the pods of a clique start; may be empty.
  std::function<Status(const api::dynamo::ComponentSpec& component, const CliqueOutline& clique,
                       json::Value& pod)>
      shape;
};

// A clique of a component, before its pods are rendered.
struct CliqueOutline {
  std::string name;
  Role role = Role::kAlone;
  int32_t rank = 0;
  bool memory_server = false;
  int32_t replicas = 1;
  int32_t min_available = 1;
};
// In the order in which they stand in the set: of each rank the memory server, then its engines.
std::vector<CliqueOutline> CliquesOf(const api::dynamo::ComponentSpec& component);
// Whether the cliques are scaled as one.
bool NeedsScalingGroup(const api::dynamo::ComponentSpec& component);
// Characters that the component's names take of a pod's name.
size_t NameLength(const api::dynamo::ComponentSpec& component);
std::string SetNameOf(const GraphFacts& graph);

// The PodCliqueSet of a graph: one replica, a clique for each role, scaling groups for components
// of several roles, GPU claims for memory servers between pods.
Result<json::Value> RenderCliqueSet(const GraphRequest& request);

}  // namespace hearth::dynamo
