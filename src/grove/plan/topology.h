#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/conditions.h"
#include "grove/model/facts.h"

namespace hearth::grove {

// What the cluster has of the topology that a set names.
struct TopologyFacts {
  bool enabled = true;  // topology-aware scheduling, in this operator
  // The levels of its ClusterTopologyBinding, broad to narrow; nothing: there is no such binding.
  std::optional<std::vector<std::string>> domains;
};

// TopologyLevelsUnavailable: whether what a set asks for can be handed to the scheduler; nothing
// when it asks for nothing. Pure.
std::optional<controller::Condition> TopologyCondition(const SetFacts& set,
                                                       const TopologyFacts& topology);

}  // namespace hearth::grove
