#include "grove/plan/clique_status.h"

#include <fmt/format.h>

#include <set>

#include "grove/model/labels.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/plan/internal/update_turn.h"
#include "grove/plan/replica_failure.h"

namespace hearth::grove {
namespace {

using api::grove::PodCliqueStatus;
using controller::Condition;

// What the pods amount to.
struct Tally {
  int32_t replicas = 0;
  int32_t ready = 0;
  int32_t updated = 0;
  int32_t gated = 0;
  int32_t scheduled = 0;
  int32_t broken = 0;  // scheduled ones that ran and do not serve
};

// A pod that is still starting is fine; one that failed, or runs and is not ready, is not.
bool IsBroken(const PodFacts& pod) {
  return pod.scheduled && !pod.ready &&
         (pod.failed_before || pod.started_not_ready || pod.phase == "Failed");
}

Tally Count(const CliqueWorld& world, const PodPlan& plan) {
  std::set<const PodFacts*> gone;
  for (const PodPlan::Removal& removal : plan.remove) {
    gone.insert(removal.pod);
  }
  Tally tally;
  for (const PodFacts& pod : world.pods) {
    if (pod.id.deleting || gone.contains(&pod)) {
      continue;
    }
    ++tally.replicas;
    tally.ready += pod.ready ? 1 : 0;
    tally.gated += pod.schedule_gated ? 1 : 0;
    tally.scheduled += pod.scheduled ? 1 : 0;
    tally.broken += IsBroken(pod) ? 1 : 0;
    tally.updated += world.hashes.Same(world.clique.template_hash, pod.template_hash) ? 1 : 0;
  }
  for (const PodPlan::Creation& creation : plan.create) {
    ++tally.replicas;
    ++tally.updated;
    tally.gated += creation.gated ? 1 : 0;
  }
  return tally;
}

Condition Scheduled(const CliqueFacts& clique, const Tally& tally) {
  const bool is_enough = clique.replicas == 0 || tally.scheduled >= clique.min_available;
  return {.type = std::string(api::grove::kPodCliqueScheduled),
          .status = is_enough ? "True" : "False",
          .reason = is_enough ? "SufficientScheduledPods" : "InsufficientScheduledPods",
          .message = fmt::format("{} pods are scheduled, at least {} must be", tally.scheduled,
                                 clique.min_available),
          .observed_generation = clique.id.generation};
}

struct Verdict {
  std::string_view status;
  std::string_view reason;
  std::string message;
};

Verdict Judge(const CliqueFacts& clique, const PodPlan& plan, const Tally& tally) {
  const int32_t least = clique.min_available;
  const int32_t serving = tally.scheduled - tally.broken;
  if (IsRunning(plan.progress)) {
    return {"Unknown", "UpdateInProgress", "pods are being replaced by those of a new template"};
  }
  if (clique.replicas == 0) {
    return {"False", "SufficientReadyPods", "there shall be no pods"};
  }
  if (tally.scheduled < least) {
    return {"True", "ScheduledReplicasBelowMinAvailable",
            fmt::format("{} pods are scheduled, at least {} must be", tally.scheduled, least)};
  }
  if (serving < least) {
    return {"True", "InsufficientReadyPods",
            fmt::format("{} of {} scheduled pods serve or are starting, at least {} must", serving,
                        tally.scheduled, least)};
  }
  return {"False", "SufficientReadyPods",
          fmt::format("{} pods serve or are starting, at least {} must", serving, least)};
}

Condition Breached(const CliqueFacts& clique, const PodPlan& plan, const Tally& tally) {
  Verdict verdict = Judge(clique, plan, tally);
  return {.type = std::string(api::grove::kMinAvailableBreached),
          .status = std::string(verdict.status),
          .reason = std::string(verdict.reason),
          .message = std::move(verdict.message),
          .observed_generation = clique.id.generation};
}

// Nothing else tells why a pod is not made while one of a former clique does not end.
void TellHeld(const PodPlan& plan, int64_t generation, WallTime now, Conditions& conditions) {
  if (plan.held_by.empty() || FindCondition(conditions, api::grove::kReplicaFailure) != nullptr) {
    return;
  }
  const PodFacts& pod = *plan.held_by.front();
  std::string text = fmt::format(
      "pod {} of a former PodClique of this name is being deleted and holds index {}, whose claims "
      "it has",
      pod.id.name, pod.index.value_or(-1));
  if (plan.held_by.size() > 1) {
    text += fmt::format(" (and {} more)", plan.held_by.size() - 1);
  }
  SetCondition(conditions,
               {.type = std::string(api::grove::kReplicaFailure),
                .status = "True",
                .reason = std::string(kIndexHeld),
                .message = std::move(text),
                .observed_generation = generation},
               now);
}

// The hashes advance when all pods are of the template that the set has now.
void AdvanceHashes(const CliqueWorld& world, PodCliqueStatus& status) {
  const CliqueFacts& clique = world.clique;
  if (IsRunning(status.update_progress) || status.updated_replicas != status.replicas ||
      !IsNoted(world.set, world.hashes) ||
      !world.hashes.IsCurrent(world.clique_template, clique.template_hash)) {
    return;
  }
  // What counts as the same stays as it is written.
  if (!world.hashes.IsCurrent(world.clique_template, status.current_pod_template_hash)) {
    status.current_pod_template_hash = clique.template_hash;
  }
  if (!world.hashes.IsCurrentGeneration(status.current_set_generation_hash)) {
    status.current_set_generation_hash = world.set.status.current_generation_hash;
  }
}

}  // namespace

CliqueStatus MakeCliqueStatus(const CliqueWorld& world, const PodPlan& plan,
                              const PassNotes& notes) {
  const CliqueFacts& clique = world.clique;
  const Tally tally = Count(world, plan);
  CliqueStatus made{clique.status, {}};
  PodCliqueStatus& status = made.status;
  TakeNotes(notes, clique.id.generation, world.now, status);
  TellHeld(plan, clique.id.generation, world.now, status.conditions);
  status.replicas = tally.replicas;
  status.ready_replicas = tally.ready;
  status.updated_replicas = tally.updated;
  status.schedule_gated_replicas = tally.gated;
  status.scheduled_replicas = tally.scheduled;
  status.update_progress = plan.progress;
  status.selector =
      clique.standalone() ? PodSelector(world.set.id.name, kCliqueLabel, clique.id.name) : "";
  AdvanceHashes(world, status);
  if (status.observed_generation > 0) {
    SetCondition(status.conditions, Scheduled(clique, tally), world.now);
    SetCondition(status.conditions, Breached(clique, plan, tally), world.now);
  }
  TellIfAllLost(fmt::format("PodClique {}", clique.id.name), clique.replicas,
                clique.status.scheduled_replicas, tally.scheduled, made.events);
  return made;
}

}  // namespace hearth::grove
