#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gms/client/memory_manager.h"

namespace hearth::gms::internal {

// Which allocation goes behind which preserved address, by allocation id.
using WakePlan = std::map<std::string, uintptr_t, std::less<>>;

// Pairs mappings with a layout, both by slot: by identity when the layout has all their ids (it may
// have more), otherwise by rank, which needs the same number. Those that are mapped hold their rank
// but are left out of the plan. Aligned size and tag must agree. kConflict, reason StaleLayout,
// naming what does not fit. Pure.
Result<WakePlan> PlanWake(std::span<const Mapping> mappings,
                          std::span<const AllocationItem> layout);

// kConflict, reason StaleLayout, unless the memory has the size and tag of the mapping.
Status CheckFits(const Mapping& mapping, const AllocationItem& allocation);

}  // namespace hearth::gms::internal
