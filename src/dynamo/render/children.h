#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dynamo/model/component.h"
#include "dynamo/render/pod_request.h"
#include "json/value.h"

// Objects of a graph besides its pods. Each holds only fields that we own, so that comparing it
// with what is there tells whether something must be written. Owners are set by whoever writes
// them.
namespace hearth::dynamo {

// The Service of a component: port http of a frontend, port system of everything else.
json::Value RenderService(const GraphFacts& graph, const api::dynamo::ComponentSpec& component,
                          const Surroundings& surroundings);

// ServiceAccount, Role and RoleBinding with which workers find each other through the API server.
std::vector<json::Value> RenderDiscoveryAccount(const GraphFacts& graph);

// The ResourceClaimTemplate that pods with a memory service of their own take their GPUs from;
// nothing for other components, and for those without GPUs.
Result<std::optional<json::Value>> RenderClaimTemplate(const GraphFacts& graph,
                                                       const api::dynamo::ComponentSpec& component);

// The Deployment of a component on one node. `pod` is its rendered template, whose labels get the
// selector.
json::Value RenderDeployment(const GraphFacts& graph, const api::dynamo::ComponentSpec& component,
                             std::string_view name, int32_t replicas, json::Value pod);

}  // namespace hearth::dynamo
