#include <algorithm>
#include <tuple>

#include "grove/plan/pod_plan.h"

namespace hearth::grove {
namespace {

int PhaseRank(const PodFacts& pod) {
  if (pod.phase == "Running") {
    return 2;
  }
  return pod.phase == "Unknown" ? 1 : 0;
}

bool HasEnded(const PodFacts& pod) { return pod.phase == "Failed" || pod.phase == "Succeeded"; }

// The smaller goes first.
auto Rank(const CliqueWorld& world, const PodFacts& pod) {
  const bool is_current = world.hashes.IsCurrent(world.clique_template, pod.template_hash);
  const int32_t index = world.per_replica_claims ? pod.index.value_or(INT32_MAX) : 0;
  // No time of creation is younger than any.
  const Duration age = pod.id.created ? -pod.id.created->time_since_epoch() : Duration::min();
  return std::tuple(!HasEnded(pod), pod.assigned, PhaseRank(pod), pod.ready, is_current, -index,
                    age, std::string_view(pod.id.name));
}

}  // namespace

std::vector<const PodFacts*> DeletionOrder(const CliqueWorld& world,
                                           std::vector<const PodFacts*> pods) {
  std::sort(pods.begin(), pods.end(), [&](const PodFacts* a, const PodFacts* b) {
    return Rank(world, *a) < Rank(world, *b);
  });
  return pods;
}

}  // namespace hearth::grove
