#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::grove::internal {

// So many pods of a clique must be ready before a pod's own containers start.
struct WaitFor {
  std::string clique;  // full name
  int32_t pods = 1;
};

// Adds the init container that waits, as the last one, and the volumes that tell it where it is and
// let it ask the API server.
void AddInitContainer(std::string_view image, std::string_view token_secret,
                      const std::vector<WaitFor>& parents, json::Value& pod_spec);

}  // namespace hearth::grove::internal
