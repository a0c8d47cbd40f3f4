#pragma once

#include <string_view>
#include <vector>

#include "dynamo/model/component.h"
#include "json/value.h"

namespace hearth::dynamo {

// A DynamoGraphDeployment (v1beta1) of YAML; ends the test program when it cannot be read.
GraphFacts ReadGraph(std::string_view yaml);

// Everything that comes of a graph on either way, as a list of objects: through Grove, and
// component by component. What cannot be rendered is an object with the error.
json::Value RenderThroughGrove(const GraphFacts& graph);
json::Value RenderByComponent(const GraphFacts& graph);

}  // namespace hearth::dynamo
