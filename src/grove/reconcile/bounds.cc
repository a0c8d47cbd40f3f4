#include "grove/reconcile/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/grove/constants.h"

namespace hearth::grove {
namespace {

int32_t Bound(std::optional<int32_t>& replicas) { return replicas ? grove::Bound(*replicas) : 0; }

}  // namespace

int32_t Bound(int32_t& replicas) {
  return std::exchange(replicas, std::min(replicas, kMostReplicas));
}

int32_t AskedReplicas(const controller::CachedObject& part) {
  const auto count = part.view()["spec"]["replicas"].Int();
  return static_cast<int32_t>(std::clamp<int64_t>(count.value_or(0), 0, INT32_MAX));
}

int32_t Bound(SetFacts& set) {
  int32_t most = Bound(set.spec.replicas);
  for (auto& clique : set.spec.set_template.cliques) {
    most = std::max({most, Bound(clique.spec.replicas), Bound(clique.spec.min_available)});
  }
  for (auto& group : set.spec.set_template.scaling_groups) {
    most = std::max({most, Bound(group.replicas), Bound(group.min_available)});
  }
  return most;
}

void NoteTooMany(int32_t asked, int64_t generation, PassNotes& notes) {
  if (asked > kMostReplicas && !notes.refused) {
    notes.refused = {
        std::string(api::grove::kReplicaFailure), "True", "TooManyReplicas",
        fmt::format("{} replicas are asked for; at most {} are made", asked, kMostReplicas),
        generation};
  }
}

}  // namespace hearth::grove
