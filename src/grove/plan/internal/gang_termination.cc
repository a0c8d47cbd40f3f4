#include "grove/plan/internal/gang_termination.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "grove/plan/internal/health.h"

namespace hearth::grove {
namespace {

struct Breach {
  WallTime since;
  std::string what;
};

void Consider(std::string_view kind, const Identity& id, std::optional<WallTime> since,
              std::optional<Breach>& longest) {
  if (since && (!longest || *since < longest->since)) {
    longest = Breach{*since, fmt::format("{} {}", kind, id.name)};
  }
}

std::optional<Breach> LongestBreach(const SetWorld& world, const SetReplicas& replicas, int32_t i) {
  std::optional<Breach> longest;
  for (const std::string& name : replicas.standalone()) {
    if (const CliqueFacts* clique = replicas.FindClique(i, name)) {
      Consider("PodClique", clique->id, BrokenSince(*clique), longest);
    }
  }
  for (const api::grove::ScalingGroupTemplate& one : world.set.parts().scaling_groups) {
    if (const GroupFacts* group = replicas.FindGroup(i, one.name)) {
      Consider("PodCliqueScalingGroup", group->id, BrokenSince(*group), longest);
    }
  }
  return longest;
}

std::optional<WallTime> OldestCreation(const std::vector<const CliqueFacts*>& cliques) {
  std::optional<WallTime> oldest;
  for (const CliqueFacts* clique : cliques) {
    if (clique->id.created && (!oldest || *clique->id.created < *oldest)) {
      oldest = clique->id.created;
    }
  }
  return oldest;
}

}  // namespace

void PlanGangTermination(const SetWorld& world, const SetReplicas& replicas, SetPlan& plan) {
  for (int32_t i = 0; i < world.set.spec.replicas; ++i) {
    const std::optional<WallTime> made = OldestCreation(replicas.Cliques(i));
    const std::optional<Breach> breach = LongestBreach(world, replicas, i);
    if (!made || !breach || !replicas.HasCliques(i)) {
      continue;
    }
    const WallTime since = std::max(breach->since, *made);
    const Duration left = since + world.set.termination_delay() - world.now;
    if (left <= Duration::zero()) {
      plan.terminate.push_back({i, fmt::format("{} has been below its minimum for {}", breach->what,
                                               FormatDuration(world.now - since))});
    } else {
      plan.look_again = std::min(plan.look_again.value_or(left), left);
    }
  }
}

}  // namespace hearth::grove
