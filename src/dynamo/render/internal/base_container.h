#pragma once

#include "dynamo/render/pod_request.h"
#include "json/value.h"

namespace hearth::dynamo::internal {

// The container `main` as the component's type has it, before the user says anything.
json::Value BaseContainer(const PodRequest& request);
// A container that serves requests beside an engine: the defaults of a frontend.
json::Value FrontendContainer(const PodRequest& request);
// Where the services of the cluster are. Variables that are there already win.
void AddSurroundings(const Surroundings& surroundings, json::Value& container);

}  // namespace hearth::dynamo::internal
