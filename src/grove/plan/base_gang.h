#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "grove/model/facts.h"
#include "grove/render/gang.h"

namespace hearth::grove {

using FindClique = std::function<std::optional<CliqueFacts>(const std::string& full_name)>;

// Whether enough pods of every clique that the base gang of a replica should have are scheduled. A
// clique that is not there, or is being deleted, has none. What was scaled away is not waited for:
// cliques without pods, and replicas that their scaling group does not have.
bool IsBaseGangScheduled(const SetFacts& set, int32_t replica, const LiveReplicas& group_replicas,
                         const FindClique& find_clique);

}  // namespace hearth::grove
