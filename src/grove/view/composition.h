#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "claims/level.h"
#include "grove/model/facts.h"

namespace hearth::grove {

// How many replicas the set, a scaling group or a clique has, by full name, where that is not what
// the set says.
using Sizes = std::map<std::string, int32_t, std::less<>>;

// A claim that a set has, and how many of its pods use it.
struct ComposedClaim {
  std::string name;
  std::string owner_kind;  // "PodCliqueScalingGroup"
  std::string owner;
  std::string claim_template;
  api::grove::SharingScope scope = api::grove::SharingScope::kAllReplicas;
  int64_t consumers = 0;
};

// The names of all that a set consists of, in the order of the set. Pods are called by their
// hostnames: what follows the name of their clique in their own is chosen when they are made.
struct Composition {
  std::vector<std::string> services;
  std::vector<std::string> gangs;
  std::vector<std::string> groups;
  std::vector<std::string> cliques;
  std::vector<std::string> pods;
  std::vector<ComposedClaim> claims;
};

// More than this nobody reads.
inline constexpr int64_t kMostParts = 1'000'000;

// kExhausted: it would be more than kMostParts. kInvalid: parts of the set do not fit together.
Result<Composition> Compose(const SetFacts& set, const Sizes& sizes);

// What there is at such a size; `otherwise` when the sizes say nothing of it.
int32_t SizeOf(const Sizes& sizes, std::string_view name, int32_t otherwise);

// A group or clique as it would be made, to ask what belongs to it.
GroupFacts GroupToBe(const SetFacts& set, int32_t i, std::string_view group, int32_t replicas);
CliqueFacts CliqueToBe(const SetFacts& set, int32_t i, std::string_view clique, int32_t replicas);
CliqueFacts MemberToBe(const GroupFacts& group, int32_t j, std::string_view clique,
                       int32_t replicas);

}  // namespace hearth::grove
