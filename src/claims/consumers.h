#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "claims/level.h"

// How many pods use one claim.
namespace hearth::claims {

// More pods than this cannot reserve one claim.
inline constexpr int64_t kMaxConsumers = 256;

// For each entry of the owner's sharing, the pods that may use one claim of it: the owner's live
// indices times what the set says of everything within it.
std::vector<int64_t> ConsumersOf(const grove::SetFacts& set, const Owner& owner);

// Says which claim of the owner has more consumers than a claim can have, and how many; empty: none
// has.
std::string TooManyConsumers(const grove::SetFacts& set, const Owner& owner);

}  // namespace hearth::claims
