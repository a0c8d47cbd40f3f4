#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// The GPU memory service between pods: a pod of its own holds the memory of a rank, engine pods on
// the same node map it. They meet in a folder of the node that only this replica of this graph has.
namespace hearth::dynamo {

struct Rank {
  std::string name_space;
  std::string graph_uid;
  int32_t number = 0;
  int64_t gpus = 1;
  bool failover = false;  // engines stand by for each other
};

// A pod that runs nothing but the server, made of what an engine's pod says of image, scheduling
// and credentials. Its sidecars, ports and variables are the engine's own business.
Result<json::Value> MemoryServerPod(const json::Value& engine_pod, const Rank& rank);

// Lets an engine's pod find the server of its rank.
Status UseMemoryServer(json::Value& pod, const Rank& rank);

}  // namespace hearth::dynamo
