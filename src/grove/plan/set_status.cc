#include <set>

#include "grove/plan/group_plan.h"
#include "grove/plan/internal/set_replicas.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/plan/set_plan.h"
#include "grove/render/template_hash.h"

namespace hearth::grove {
namespace {

using api::grove::PodCliqueSetStatus;

SetReplicas After(const SetWorld& world, const SetPlan& plan) {
  std::set<int32_t> gone;
  for (const SetPlan::Termination& one : plan.terminate) {
    gone.insert(one.replica);
  }
  return SetReplicas(world, std::move(gone));
}

void CountReplicas(const SetWorld& world, const SetReplicas& replicas, PodCliqueSetStatus& status) {
  status.available_replicas = 0;
  status.updated_replicas = 0;
  for (int32_t i = 0; i < world.set.spec.replicas; ++i) {
    const bool is_available = replicas.IsAvailable(i);
    status.available_replicas += is_available ? 1 : 0;
    status.updated_replicas += is_available && replicas.IsUpdated(i) ? 1 : 0;
  }
}

// Only what the spec asks for counts, so that scaling in leaves no more updated than there are.
void CountParts(const SetWorld& world, const SetReplicas& replicas,
                api::grove::PodCliqueSetUpdateProgress& progress) {
  progress.updated_cliques = progress.total_cliques = 0;
  progress.updated_scaling_groups = progress.total_scaling_groups = 0;
  for (int32_t i = 0; i < world.set.spec.replicas; ++i) {
    for (const std::string& name : replicas.standalone()) {
      const CliqueFacts* clique = replicas.FindClique(i, name);
      ++progress.total_cliques;
      progress.updated_cliques +=
          clique != nullptr && IsConverged(*clique, name, world.hashes) ? 1 : 0;
    }
    for (const api::grove::ScalingGroupTemplate& one : world.set.parts().scaling_groups) {
      const GroupFacts* group = replicas.FindGroup(i, one.name);
      ++progress.total_scaling_groups;
      progress.updated_scaling_groups +=
          group != nullptr && IsConverged(*group, world.hashes) ? 1 : 0;
    }
  }
}

// An update that another operator had begun cannot be finished, because nobody can tell what it has
// done already.
void TellIfTakenOverInMidst(const SetWorld& world, std::vector<StatusEvent>& events) {
  const PodCliqueSetStatus& former = world.set.status;
  if (world.hash_step.kind == HashStep::Kind::kChanged && IsRunning(former.update_progress) &&
      !IsOurHash(former.current_generation_hash)) {
    events.push_back({.warning = false,
                      .reason = "UpdateRestarted",
                      .note = "an update that another operator began is begun anew"});
  }
}

}  // namespace

SetStatus MakeSetStatus(const SetWorld& world, const SetPlan& plan, const PassNotes& notes) {
  const SetReplicas replicas = After(world, plan);
  SetStatus made{world.set.status, {}};
  PodCliqueSetStatus& status = made.status;
  TakeNotes(notes, world.set.id.generation, world.now, status);
  status.replicas = world.set.spec.replicas;
  CountReplicas(world, replicas, status);
  status.selector = PodSelector(world.set.id.name);
  status.current_generation_hash = world.hashes.generation;
  status.update_progress = plan.progress;
  if (status.update_progress) {
    CountParts(world, replicas, *status.update_progress);
  }
  if (const auto topology = TopologyCondition(world.set, world.topology)) {
    SetCondition(status.conditions, *topology, world.now);
  } else {
    RemoveCondition(status.conditions, api::grove::kTopologyLevelsUnavailable);
  }
  TellIfTakenOverInMidst(world, made.events);
  return made;
}

}  // namespace hearth::grove
