#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "admission/grove/name_pattern.h"
#include "json/value.h"

namespace hearth::admission::grove {

struct SetOutline;

// Nothing has more replicas than a 32-bit number counts.
inline constexpr int64_t kMaxClaimIndex = 2147483646;

// One entry of some resourceSharing.
struct SharingEntry {
  enum class Level { kSet, kGroup, kClique };
  Level level;
  size_t owner;  // index of the scaling group or clique
  size_t entry;  // index in its resourceSharing
  const json::Value* value;

  std::string Place() const;  // spec.template.cliques[0].resourceSharing[1]
};

// The ResourceClaims that an entry stands for.
struct ClaimSource : SharingEntry {
  NamePattern names;
  // How many replicas there are for each index in the names, to begin with and at most: as the set
  // says, or as it lets an autoscaler choose.
  struct Replicas {
    int64_t first = 1;
    int64_t most = 1;
  };
  std::array<Replicas, NamePattern::kMaxIndices> replicas = {};  // names.indices() of them
};

// Of all levels, the set's first, then those of groups and cliques; entries without a name are left
// out. The object that `set` outlines must outlive the result.
std::vector<SharingEntry> SharingEntries(const SetOutline& set);
std::vector<ClaimSource> ClaimSources(const SetOutline& set);

// The names of the claims there are when a new set has come up, in the order of the entries: the
// set's, its groups', its cliques'. No more than `limit`.
std::vector<std::string> ClaimNames(const json::Value& set, size_t limit);

}  // namespace hearth::admission::grove
