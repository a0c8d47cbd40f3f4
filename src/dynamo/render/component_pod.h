#pragma once

#include "base/result.h"
#include "dynamo/render/pod_request.h"
#include "json/value.h"

namespace hearth::dynamo {

// The pod template of a component, {metadata, spec}: what its type brings, then what the user says,
// then what its engine, memory service and failover need, in this order, so that engines that are
// cloned have everything. The same request gives the same bytes. kInvalid names the component's
// field.
Result<json::Value> RenderComponentPod(const PodRequest& request);

// The labels that nobody but us may set: who the pod belongs to.
void SetOwnLabels(const PodRequest& request, json::Value& object);

}  // namespace hearth::dynamo
