#pragma once

#include <string_view>
#include <vector>

#include "dynamo/view/chain.h"

// The parts that a chain is put together from.
namespace hearth::dynamo::view {

using Objects = std::vector<kube::Object>;

// The one of that name; null when there is none.
const kube::Object* Find(const Objects& objects, std::string_view name);

ChainNode PodNode(const GraphObjects& objects, json::View pod);
// From a DynamoCheckpoint down to the pod that is captured.
ChainNode CheckpointNode(const GraphObjects& objects, json::View checkpoint);

// Warnings that the cluster recorded of an object that is not settled: the newest of each reason
// that the node does not give itself.
void AddEvents(const GraphObjects& objects, std::string_view kind, std::string_view name,
               ChainNode& node);

// Whether a pod is one that a checkpoint is captured of.
bool IsSource(json::View pod);

}  // namespace hearth::dynamo::view
