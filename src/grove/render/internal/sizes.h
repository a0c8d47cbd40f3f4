#pragma once

#include <cstdint>

#include "api/grove/pod_clique_set_template.h"

// Sizes of a set's parts, also where admission has not filled them in.
namespace hearth::grove::internal {

inline int32_t MinAvailable(const api::grove::CliqueTemplate& clique) {
  return clique.spec.min_available.value_or(clique.spec.replicas);
}
inline int32_t MinAvailable(const api::grove::ScalingGroupTemplate& group) {
  return group.min_available.value_or(1);
}
inline int32_t Replicas(const api::grove::ScalingGroupTemplate& group) {
  return group.replicas.value_or(1);
}

}  // namespace hearth::grove::internal
