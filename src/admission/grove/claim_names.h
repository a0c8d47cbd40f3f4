#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "admission/grove/name_pattern.h"
#include "json/value.h"

namespace hearth::admission::grove {

struct SetOutline;

// The ResourceClaims that one entry of some resourceSharing stands for.
struct ClaimSource {
  enum class Level { kSet, kGroup, kClique };
  Level level;
  size_t owner;  // index of the scaling group or clique
  size_t entry;  // index in its resourceSharing
  const json::Value* value;
  NamePattern names;
  // How many replicas there are for each index in the names, to begin with and at most: as the set
  // says, or as it lets an autoscaler choose.
  struct Replicas {
    int64_t first;
    int64_t most;
  };
  std::vector<Replicas> replicas;

  std::string Place() const;  // spec.template.cliques[0].resourceSharing[1]
};

// Of all levels; entries without a name are left out. `set` must outlive the result.
std::vector<ClaimSource> ClaimSources(const SetOutline& set);

// The names of the claims there are when a new set has come up, in the order of the entries: the
// set's, its groups', its cliques'. No more than `limit`.
std::vector<std::string> ClaimNames(const json::Value& set, size_t limit);

}  // namespace hearth::admission::grove
