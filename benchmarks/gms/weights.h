#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace hearth::bench {

// So many allocations that add up to so many bytes, none of them zero everywhere.
struct WeightsShape {
  size_t allocations = 1;
  uint64_t bytes = 0;
  uint64_t granularity = 0;
  uint64_t seed = 0;
};
// Writes and commits them, on a server of small pages.
Status CommitWeights(const std::string& socket, const WeightsShape& shape);

}  // namespace hearth::bench
