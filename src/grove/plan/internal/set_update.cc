#include "grove/plan/internal/set_update.h"

#include <algorithm>
#include <tuple>

#include "grove/plan/internal/status_parts.h"

namespace hearth::grove {
namespace {

using api::grove::UpdateStrategyType;
using Progress = api::grove::PodCliqueSetUpdateProgress;

bool IsEnded(const SetPlan& plan, int32_t i) {
  return std::any_of(plan.terminate.begin(), plan.terminate.end(),
                     [&](const SetPlan::Termination& one) { return one.replica == i; });
}

// Those without a scheduled pod, then those below their minimum, then the lowest index.
std::optional<int32_t> Next(const SetWorld& world, const SetReplicas& replicas,
                            const SetPlan& plan) {
  std::optional<std::tuple<bool, bool, int32_t>> best;
  for (int32_t i = 0; i < world.set.spec.replicas; ++i) {
    if (replicas.IsUpdated(i) || IsEnded(plan, i)) {
      continue;
    }
    const std::tuple rank(replicas.HasScheduled(i), !replicas.IsBreached(i), i);
    best = best ? std::min(*best, rank) : rank;
  }
  return best ? std::optional(std::get<2>(*best)) : std::nullopt;
}

// The replica that is being updated; nothing when there is none any more.
std::optional<int32_t> Current(const SetWorld& world, const Progress& progress) {
  for (const Progress::Replica& one : progress.currently_updating) {
    if (one.update_ended_at.empty() && one.replica_index < world.set.spec.replicas) {
      return one.replica_index;
    }
  }
  return std::nullopt;
}

void Select(WallTime now, int32_t replica, Progress& progress) {
  progress.currently_updating = {{.replica_index = replica, .update_started_at = Stamp(now)}};
}

void End(WallTime now, Progress& progress) {
  progress.update_ended_at = Stamp(now);
  progress.currently_updating.clear();
}

// A new update. A replica in which the former one was goes first: no other shall suffer as well.
Progress Started(const SetWorld& world) {
  const std::optional<Progress>& former = world.set.status.update_progress;
  Progress progress;
  progress.update_started_at = Stamp(world.now);
  const auto current = IsRunning(former) ? Current(world, *former) : std::nullopt;
  if (current) {
    Select(world.now, *current, progress);
  }
  return progress;
}

void StepOn(const SetWorld& world, const SetReplicas& replicas, SetPlan& plan) {
  Progress& progress = *plan.progress;
  const std::optional<int32_t> current = Current(world, progress);
  if (current && (!replicas.IsUpdated(*current) || IsEnded(plan, *current))) {
    return;
  }
  if (const std::optional<int32_t> next = Next(world, replicas, plan)) {
    Select(world.now, *next, progress);
  } else if (plan.terminate.empty()) {
    End(world.now, progress);
  } else {
    progress.currently_updating.clear();
  }
}

}  // namespace

void PlanSetUpdate(const SetWorld& world, const SetReplicas& replicas, SetPlan& plan) {
  plan.progress = world.hash_step.kind == HashStep::Kind::kChanged
                      ? Started(world)
                      : world.set.status.update_progress;
  if (!IsRunning(plan.progress)) {
    return;
  }
  if (world.set.strategy() == UpdateStrategyType::kOnDelete) {
    End(world.now, *plan.progress);
    return;
  }
  StepOn(world, replicas, plan);
}

}  // namespace hearth::grove
