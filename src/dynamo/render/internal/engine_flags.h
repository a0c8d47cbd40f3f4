#pragma once

#include <string_view>

#include "base/result.h"
#include "dynamo/render/pod_request.h"
#include "json/value.h"

namespace hearth::dynamo::internal {

// What the engine of the main container needs: flags for the memory service and for several nodes,
// variables, and no probes where nobody answers them. Called before sidecars join the container.
// kInvalid: the engine is not started in a way that flags can be given to.
Status ShapeEngine(const PodRequest& request, std::string_view engine, json::Value& main);
// Where engines keep what they compile when nobody says; empty: there is no such place.
std::string_view DefaultCachePath(std::string_view engine);

}  // namespace hearth::dynamo::internal
