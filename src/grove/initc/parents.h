#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What pods of a clique wait for before they start: pods of other cliques that are ready.
namespace hearth::grove::initc {

// By the full name of a clique, how many of its pods must be ready.
using Parents = std::map<std::string, int64_t>;

// "<clique>:<count>", once for each. A clique that is named twice needs the larger count. kInvalid
// says which one is wrong.
Result<Parents> ParseParents(const std::vector<std::string>& texts);

// The pods of these cliques, in that gang: nobody else's change is heard of.
std::string PodSelector(std::string_view gang, const Parents& parents);

// What is missing, "prefill 1 of 2, router 0 of 1"; empty when every clique has enough. `ready`
// counts by clique.
std::string StillMissing(const Parents& parents, const std::map<std::string, int64_t>& ready);

}  // namespace hearth::grove::initc
