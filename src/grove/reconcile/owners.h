#pragma once

#include <optional>

#include "grove/reconcile/caches.h"

// From what a set consists of, up to the set.
namespace hearth::grove {

// The set that a group is part of, if it is that very one that made it; nothing when it is not
// there, or another of that name.
std::optional<controller::Snapshot<SetFields>> OwningSet(const GroveCaches& caches,
                                                         const Identity& part, const Place& place);

// The scaling group that a clique is in; nothing when it is not there, or another of that name.
std::optional<controller::Snapshot<GroupFields>> OwningGroup(const GroveCaches& caches,
                                                             const CliqueFacts& clique);

// Of a clique, in a group or not.
std::optional<controller::Snapshot<SetFields>> OwningSet(const GroveCaches& caches,
                                                         const CliqueFacts& clique);

}  // namespace hearth::grove
