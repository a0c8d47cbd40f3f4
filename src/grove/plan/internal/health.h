#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "grove/model/facts.h"

// What statuses of cliques and groups say of their health.
namespace hearth::grove {

// Pods that an update must find, and have again before it goes on: no more than there shall be.
int32_t Enough(const CliqueFacts& clique);
int32_t Enough(const GroupFacts& group);

// Enough to serve. What shall have no replicas has enough.
bool IsAvailable(const CliqueFacts& clique);
bool IsAvailable(const GroupFacts& group);

bool IsBreached(const CliqueFacts& clique);
bool IsBreached(const GroupFacts& group);

// Since when fewer are there than the minimum; nothing when enough are there, or when there never
// were: ending what never ran does not make it run. Only changes that were seen count as "ran": a
// condition that is as old as its object was never good.
std::optional<WallTime> BrokenSince(const CliqueFacts& clique);
std::optional<WallTime> BrokenSince(const GroupFacts& group);

}  // namespace hearth::grove
