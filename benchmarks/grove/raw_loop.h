#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "deployment.h"
#include "json/blob.h"
#include "stage.h"

// The limit: the same objects, created by a loop that does nothing else, with the operator's
// account.
namespace hearth::bench {

inline constexpr size_t kRawConnections = 32;

// What an operator made, to be created in a name space of its own; belongs to an object there and
// concerns no operator.
struct RawObjects {
  struct One {
    kube::ResourceType type;
    json::Blob body;
  };
  std::string name_space;
  std::vector<One> objects;
};
Result<RawObjects> MakeRaw(Stage& stage, const std::vector<Made>& made);

// Seconds until the last of them is there. The connections are made before.
Result<double> CreateRaw(Stage& stage, const RawObjects& raw, size_t connections);

}  // namespace hearth::bench
