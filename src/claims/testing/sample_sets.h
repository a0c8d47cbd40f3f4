#pragma once

#include <string>
#include <string_view>

#include "claims/level.h"

// Sets, groups and cliques to try claims with.
namespace hearth::claims {

// A set from what stands below its spec, in YAML; called `name`, in namespace "default", with uid
// "<name>-uid".
grove::SetFacts SampleSet(std::string_view name, const std::string& spec);
// The second one of that name: same but for the uid.
grove::SetFacts SampleSuccessor(grove::SetFacts set);

grove::GroupFacts SampleGroup(const grove::SetFacts& set, int32_t set_replica,
                              std::string_view group, int32_t replicas);
grove::CliqueFacts SampleClique(const grove::SetFacts& set, int32_t set_replica,
                                std::string_view clique, int32_t replicas);
grove::CliqueFacts SampleMember(const grove::SetFacts& set, int32_t set_replica,
                                std::string_view group, int32_t group_replica,
                                std::string_view clique, int32_t replicas);

// The set with sharing at every level that upstream's own acceptance test runs.
grove::SetFacts WorkedExample();

}  // namespace hearth::claims
