#pragma once

#include <cstdint>
#include <string>

#include "api/dynamo/component.h"
#include "dynamo/checkpoint/component_start.h"
#include "dynamo/model/component.h"
#include "json/value.h"

namespace hearth::dynamo {

// A component of a graph that runs without Grove.
struct ComponentDeploymentRequest {
  const GraphFacts& graph;
  const api::dynamo::ComponentSpec& component;  // of the graph, as it stands there
  std::string worker_hash;                      // only of workers
  int32_t replicas = 1;
  std::string restart_id;  // empty: never restarted
  ComponentStart start;
};

// Its DynamoComponentDeployment: everything the graph says for all components is in it, and its
// checkpoint is one of a name, so that whoever reconciles it needs nothing else. The owner is set
// by whoever writes it.
json::Value RenderComponentDeployment(const ComponentDeploymentRequest& request);

// What a DynamoComponentDeployment is part of, as far as its pods are concerned: the graph that
// made it, else itself.
struct DeploymentIdentity {
  std::string name;
  std::string name_space;
  std::string uid;
};
GraphFacts GraphOfDeployment(const DeploymentIdentity& identity, json::View object);

}  // namespace hearth::dynamo
