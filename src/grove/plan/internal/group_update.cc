#include "grove/plan/internal/group_update.h"

#include <algorithm>
#include <utility>

#include "grove/plan/internal/health.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/plan/internal/update_turn.h"

namespace hearth::grove {
namespace {

using api::grove::SelectedReplicas;
using api::grove::UpdateStrategyType;
using Progress = api::grove::PodCliqueScalingGroupUpdateProgress;

constexpr std::string_view kOutdated = "its template is no longer the current one";

Progress Started(const GroupWorld& world) {
  Progress progress;
  progress.update_started_at = Stamp(world.now);
  progress.set_generation_hash = world.set.status.current_generation_hash;
  return progress;
}

bool IsTarget(const GroupWorld& world, const Progress& progress) {
  return world.hashes.IsCurrentGeneration(progress.set_generation_hash);
}

void End(WallTime now, Progress& progress) {
  progress.update_ended_at = Stamp(now);
  progress.ready_replicas_selected.reset();
}

// Cliques take the template at once, their pods when a user deletes them.
void RecordOnDelete(const GroupWorld& world, GroupPlan& plan) {
  const bool is_asked = world.set.status.update_progress && IsNoted(world.set, world.hashes);
  if (is_asked && (!plan.progress || !IsTarget(world, *plan.progress))) {
    plan.progress = Started(world);
  }
  if (IsRunning(plan.progress)) {
    End(world.now, *plan.progress);
  }
}

std::vector<int32_t> Outdated(const GroupWorld& world, const GroupReplicas& replicas) {
  std::vector<int32_t> outdated;
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    if (replicas.IsOutdated(j)) {
      outdated.push_back(j);
    }
  }
  return outdated;
}

// Nothing when none is selected, or the one that was is done with: `current` cannot be empty, and
// stands among the completed ones then.
std::optional<int32_t> InFlight(const GroupWorld& world, const SelectedReplicas& selected) {
  const bool is_done = std::find(selected.completed.begin(), selected.completed.end(),
                                 selected.current) != selected.completed.end();
  // One that the group no longer has is not waited for.
  return is_done || selected.current >= world.group.replicas ? std::nullopt
                                                             : std::optional(selected.current);
}

// A replica is selected in one pass and taken away in the next one, when that is in the status.
void StepOn(const GroupWorld& world, const GroupReplicas& replicas,
            const std::vector<int32_t>& outdated, GroupPlan& plan) {
  const bool may_take = replicas.Count(&GroupReplicas::IsAvailable) >= Enough(world.group);
  std::optional<int32_t> next;
  for (const int32_t j : outdated) {
    if (!replicas.IsAvailable(j)) {
      plan.remove.push_back({j, std::string(kOutdated)});
    } else if (!next) {
      next = j;
    }
  }
  std::optional<SelectedReplicas>& selected = plan.progress->ready_replicas_selected;
  if (const auto current = selected ? InFlight(world, *selected) : std::nullopt) {
    if (replicas.IsOutdated(*current)) {
      if (replicas.IsAvailable(*current) && may_take) {
        plan.remove.push_back({*current, std::string(kOutdated)});
      }
      return;
    }
    if (!replicas.IsConverged(*current)) {
      return;
    }
    selected->completed.push_back(*current);
  }
  if (outdated.empty()) {
    End(world.now, *plan.progress);
  } else if (next && may_take) {
    SelectedReplicas chosen = selected.value_or(SelectedReplicas{});
    chosen.current = *next;
    // It was replaced once, for a template that is older now.
    std::erase(chosen.completed, *next);
    selected = std::move(chosen);
    plan.look_again = Duration::zero();
  }
}

}  // namespace

void PlanGroupUpdate(const GroupWorld& world, const GroupReplicas& replicas, GroupPlan& plan) {
  plan.progress = world.group.status.update_progress;
  if (world.set.strategy() == UpdateStrategyType::kOnDelete) {
    RecordOnDelete(world, plan);
    return;
  }
  if (!IsTurnOf(world.set, world.hashes, world.group.place.set_replica)) {
    return;
  }
  const std::vector<int32_t> outdated = Outdated(world, replicas);
  if (!IsRunning(plan.progress)) {
    const bool is_done =
        world.hashes.IsCurrentGeneration(world.group.status.current_set_generation_hash) ||
        (plan.progress && IsTarget(world, *plan.progress));
    if (is_done && outdated.empty()) {
      return;
    }
    plan.progress = Started(world);
  } else if (!IsTarget(world, *plan.progress)) {
    plan.progress = Started(world);
  }
  StepOn(world, replicas, outdated, plan);
}

}  // namespace hearth::grove
