#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grove/model/facts.h"

namespace hearth::grove {

// The lowest `count` indices that no active pod has. A pod that ended or is being deleted gives its
// index back; `held` are indices that must not be given out anyhow.
std::vector<int32_t> FreeIndices(std::span<const PodFacts> pods, std::span<const int32_t> held,
                                 int32_t count);

// Active pods that have the same index as an older one, or none at all: to be replaced.
std::vector<const PodFacts*> Misnumbered(std::span<const PodFacts> pods);

}  // namespace hearth::grove
