#include "grove/plan/group_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/duration.h"
#include "grove/plan/internal/group_replicas.h"
#include "grove/plan/internal/group_update.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/render/template_hash.h"

namespace hearth::grove {
namespace {

using api::grove::UpdateStrategyType;

std::set<int32_t> Removed(const GroupPlan& plan) {
  std::set<int32_t> removed;
  for (const GroupPlan::Removal& removal : plan.remove) {
    removed.insert(removal.replica);
  }
  return removed;
}

void TakeExcessAway(const GroupWorld& world, const GroupReplicas& replicas, GroupPlan& plan) {
  for (const int32_t j : replicas.Present()) {
    if (j >= world.group.replicas) {
      plan.remove.push_back({j, fmt::format("the group has {} replicas", world.group.replicas)});
    }
  }
}

// Replicas that were broken for too long are made anew as long as the group has enough others;
// otherwise it is for the set to decide.
void TakeBrokenAway(const GroupWorld& world, const GroupReplicas& replicas, GroupPlan& plan) {
  if (replicas.Count(&GroupReplicas::IsHealthy) < world.group.min_available) {
    return;
  }
  const Duration delay = world.set.termination_delay();
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    const std::optional<WallTime> since = replicas.BrokenSince(j);
    if (!since) {
      continue;
    }
    const Duration left = *since + delay - world.now;
    if (left <= Duration::zero()) {
      plan.remove.push_back(
          {j, fmt::format("it has had too few pods for {}", FormatDuration(world.now - *since))});
    } else {
      plan.look_again = std::min(plan.look_again.value_or(left), left);
    }
  }
}

// What is deleted is made anew when its name is free.
void MakeMissing(const GroupWorld& world, const GroupReplicas& replicas, GroupPlan& plan) {
  // Not before the set has noted what another operator called the templates: labels tell that.
  const bool refresh = world.set.strategy() == UpdateStrategyType::kOnDelete &&
                       IsOurHash(world.set.status.current_generation_hash);
  const std::set<int32_t> removed = Removed(plan);
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    if (removed.contains(j)) {
      continue;
    }
    for (const std::string& name : world.config->clique_names) {
      const api::grove::CliqueTemplate* clique = world.set.FindClique(name);
      if (clique == nullptr) {
        continue;
      }
      if (!replicas.HasName(j, name)) {
        if (plan.create.size() == kMostPerPass) {
          plan.look_again = Duration::zero();
          return;
        }
        plan.create.push_back({j, clique});
      } else if (refresh && replicas.Find(j, name) != nullptr) {
        plan.refresh.push_back({j, clique});
      }
    }
  }
}

}  // namespace

GroupPlan PlanGroup(const GroupWorld& world) {
  GroupPlan plan;
  plan.progress = world.group.status.update_progress;
  if (world.group.id.deleting) {
    return plan;
  }
  const GroupReplicas replicas(world);
  TakeExcessAway(world, replicas, plan);
  PlanGroupUpdate(world, replicas, plan);
  if (!IsRunning(plan.progress)) {
    TakeBrokenAway(world, replicas, plan);
  }
  MakeMissing(world, replicas, plan);
  return plan;
}

}  // namespace hearth::grove
