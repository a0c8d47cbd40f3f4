#pragma once

#include <string>
#include <vector>

#include "schema/schema.h"

namespace hearth::api::dynamo {

// How a version of the API speaks of GPU memory features.
struct FeatureWords {
  std::string intra_pod;
  bool has_flag = false;  // turned on by `enabled`, not by being there
};

// What gpuMemoryService, failover and checkpoint, side by side in one object, want of each other.
std::vector<schema::Rule> FeatureRules(const FeatureWords& words);

}  // namespace hearth::api::dynamo
