#pragma once

#include <string>

#include "api/dynamo/component.h"
#include "dynamo/model/component.h"

// What tells one generation of a graph's workers from the next.
namespace hearth::dynamo {

// Over everything that the pods of the graph's workers are made of: eight hex digits, empty when
// there are no workers. How many there are and how they start does not count. Workers of one
// generation find each other by it, so it is one value for all of them.
std::string WorkersHash(const GraphFacts& graph);

// Over what the captured process of one component is made of, so that a change of another
// component, of a policy or of a loader does not ask for another capture.
std::string CaptureHash(const GraphFacts& graph, const api::dynamo::ComponentSpec& component);

}  // namespace hearth::dynamo
