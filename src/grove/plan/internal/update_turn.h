#pragma once

#include <cstdint>
#include <optional>

#include "grove/model/facts.h"
#include "grove/plan/hashes.h"

namespace hearth::grove {

// Whether the set has noted the templates as they are now: before that nothing may follow them.
bool IsNoted(const SetFacts& set, const Hashes& hashes);
// Whether a rolling update of the set is at this replica.
bool IsTurnOf(const SetFacts& set, const Hashes& hashes, std::optional<int32_t> set_replica);

}  // namespace hearth::grove
