#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grove/model/labels.h"
#include "grove/plan/group_plan.h"
#include "grove/plan/internal/group_replicas.h"
#include "grove/plan/internal/health.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/plan/internal/update_turn.h"

namespace hearth::grove {
namespace {

using api::grove::PodCliqueScalingGroupStatus;
using controller::Condition;

// The replicas as the plan leaves them.
GroupReplicas After(const GroupWorld& world, const GroupPlan& plan) {
  std::set<int32_t> gone;
  for (const GroupPlan::Removal& removal : plan.remove) {
    gone.insert(removal.replica);
  }
  return GroupReplicas(world, std::move(gone));
}

int32_t CountUpdated(const GroupWorld& world, const GroupReplicas& replicas) {
  int32_t count = 0;
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    count += replicas.IsAvailable(j) && replicas.IsConverged(j) ? 1 : 0;
  }
  return count;
}

void CountCliques(const GroupWorld& world, const GroupReplicas& replicas,
                  api::grove::PodCliqueScalingGroupUpdateProgress& progress) {
  progress.updated_cliques = 0;
  progress.total_cliques = 0;
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    for (const std::string& name : world.config->clique_names) {
      const CliqueFacts* clique = replicas.Find(j, name);
      ++progress.total_cliques;
      progress.updated_cliques +=
          clique != nullptr && IsConverged(*clique, name, world.hashes) ? 1 : 0;
    }
  }
}

Condition Breached(const GroupWorld& world, const GroupPlan& plan, int32_t healthy) {
  const GroupFacts& group = world.group;
  Condition condition{.type = std::string(api::grove::kMinAvailableBreached),
                      .observed_generation = group.id.generation};
  condition.message = fmt::format("{} of {} replicas have enough pods, at least {} must", healthy,
                                  group.replicas, group.min_available);
  if (IsRunning(plan.progress)) {
    condition.status = "Unknown";
    condition.reason = "UpdateInProgress";
    condition.message = "replicas are being replaced by those of a new template";
  } else if (group.replicas > 0 && healthy < group.min_available) {
    condition.status = "True";
    condition.reason = "InsufficientAvailablePodCliqueScalingGroupReplicas";
  } else {
    condition.status = "False";
    condition.reason = "SufficientAvailablePodCliqueScalingGroupReplicas";
  }
  return condition;
}

// Whether the set has ended this replica of it: the breach has lasted for the whole delay, and
// cliques are going, gone, or were made since.
bool IsBeingTerminated(const GroupWorld& world, const GroupReplicas& replicas) {
  const std::optional<WallTime> since = BrokenSince(world.group);
  if (!since || world.now < *since + world.set.termination_delay()) {
    return false;
  }
  const WallTime due = *since + world.set.termination_delay();
  for (int32_t j = 0; j < world.group.replicas; ++j) {
    for (const std::string& name : world.config->clique_names) {
      const CliqueFacts* clique = replicas.Find(j, name);
      if (clique == nullptr || (clique->id.created && *clique->id.created >= due)) {
        return true;
      }
    }
  }
  return false;
}

void NoteTermination(const GroupWorld& world, const GroupReplicas& replicas,
                     Conditions& conditions) {
  if (HasStatus(conditions, api::grove::kMinAvailableBreached, "False")) {
    RemoveCondition(conditions, api::grove::kGangTerminationInProgress);
  } else if (IsBeingTerminated(world, replicas)) {
    SetCondition(conditions,
                 {.type = std::string(api::grove::kGangTerminationInProgress),
                  .status = "True",
                  .reason = "GangTerminationActive",
                  .message = "too few replicas for too long: their pods are made anew",
                  .observed_generation = world.group.id.generation},
                 world.now);
  }
}

bool HaveAllCurrentHashes(const GroupWorld& world, const GroupReplicas& replicas) {
  return replicas.Count(&GroupReplicas::HasCurrentHashes) == std::max(world.group.replicas, 0);
}

}  // namespace

GroupStatus MakeGroupStatus(const GroupWorld& world, const GroupPlan& plan,
                            const PassNotes& notes) {
  const GroupFacts& group = world.group;
  const GroupReplicas replicas = After(world, plan);
  GroupStatus made{group.status, {}};
  PodCliqueScalingGroupStatus& status = made.status;
  TakeNotes(notes, group.id.generation, world.now, status);
  status.replicas = group.replicas;
  status.scheduled_replicas = replicas.Count(&GroupReplicas::IsScheduled);
  status.available_replicas = replicas.Count(&GroupReplicas::IsAvailable);
  status.updated_replicas = CountUpdated(world, replicas);
  status.selector = PodSelector(world.set.id.name, kGroupLabel, group.id.name);
  status.update_progress = plan.progress;
  if (status.update_progress) {
    CountCliques(world, replicas, *status.update_progress);
  }
  if (!IsRunning(plan.progress) && IsNoted(world.set, world.hashes) &&
      !world.hashes.IsCurrentGeneration(status.current_set_generation_hash) &&
      HaveAllCurrentHashes(world, replicas)) {
    status.current_set_generation_hash = world.set.status.current_generation_hash;
  }
  SetCondition(status.conditions, Breached(world, plan, replicas.Count(&GroupReplicas::IsHealthy)),
               world.now);
  NoteTermination(world, replicas, status.conditions);
  TellIfAllLost(fmt::format("PodCliqueScalingGroup {}", group.id.name), group.replicas,
                group.status.scheduled_replicas, status.scheduled_replicas, made.events);
  return made;
}

}  // namespace hearth::grove
