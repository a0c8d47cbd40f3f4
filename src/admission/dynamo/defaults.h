#pragma once

#include "admission/rules/request.h"
#include "json/value.h"

// What a schema default cannot fill in.
namespace hearth::admission::dynamo {

// One replica, and on Grove a minAvailable of 1, for each component; on a create the version of the
// operator. On an update the origin version that is stored comes back when the new object lacks it
// (a replace knows nothing of it), and a minAvailable of 1 that is stored goes when the graph
// leaves Grove, where nobody may have one.
void SetGraphDefaults(json::Value& object, const Request& request);

// On a create the name of the object for a component that has none.
void SetComponentDeploymentDefaults(json::Value& object, const Request& request);

}  // namespace hearth::admission::dynamo
