#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "grove/model/facts.h"

namespace hearth::claims {

// Where a pod is in its set.
struct PodPlace {
  std::string clique_template;  // its name in the set
  std::string clique;           // full name
  int32_t set_replica = 0;
  std::string group_template;  // empty: in none
  std::string group;           // full name
  int32_t group_replica = 0;
  int32_t index = 0;
};
// kInvalid, naming the clique: the labels or the name do not fit the set.
Result<PodPlace> PlaceOf(const grove::SetFacts& set, const grove::CliqueFacts& clique,
                         int32_t pod_index);

// The name in the set of a scaling group of a replica, from its full name. kInvalid, naming the
// group: the set has none that would be called so.
Result<std::string> GroupTemplateOf(const grove::SetFacts& set, std::string_view group,
                                    int32_t set_replica);

}  // namespace hearth::claims
