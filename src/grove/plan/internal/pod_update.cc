#include "grove/plan/internal/pod_update.h"

#include <algorithm>
#include <tuple>

#include "grove/plan/internal/health.h"
#include "grove/plan/internal/status_parts.h"
#include "grove/plan/internal/update_turn.h"

namespace hearth::grove {
namespace {

using api::grove::PodCliqueUpdateProgress;
using api::grove::UpdateStrategyType;
using Pods = std::vector<const PodFacts*>;

constexpr std::string_view kOutdated = "its template is no longer the current one";

bool IsTarget(const CliqueWorld& world, const PodCliqueUpdateProgress& progress) {
  return world.hashes.IsCurrentGeneration(progress.set_generation_hash) &&
         world.hashes.IsCurrent(world.clique_template, progress.pod_template_hash);
}

bool HasTakenUp(const CliqueWorld& world) {
  const api::grove::PodCliqueStatus& status = world.clique.status;
  return world.hashes.IsCurrentGeneration(status.current_set_generation_hash) &&
         world.hashes.IsCurrent(world.clique_template, status.current_pod_template_hash);
}

PodCliqueUpdateProgress Started(const CliqueWorld& world) {
  PodCliqueUpdateProgress progress;
  progress.update_started_at = Stamp(world.now);
  progress.set_generation_hash = world.set.status.current_generation_hash;
  progress.pod_template_hash = world.clique.template_hash;
  return progress;
}

void End(WallTime now, PodCliqueUpdateProgress& progress) {
  progress.update_ended_at = Stamp(now);
  progress.ready_pods_selected.reset();
}

// Nobody but the user takes pods away; that an update was asked for is recorded nevertheless.
void RecordOnDelete(const CliqueWorld& world, PodPlan& plan) {
  const bool is_asked = world.set.status.update_progress && IsNoted(world.set, world.hashes) &&
                        world.hashes.IsCurrent(world.clique_template, world.clique.template_hash);
  if (is_asked && (!plan.progress || !IsTarget(world, *plan.progress))) {
    plan.progress = Started(world);
  }
  if (IsRunning(plan.progress)) {
    End(world.now, *plan.progress);
  }
}

bool HasOutdated(const CliqueWorld& world, const Pods& pods) {
  return std::any_of(pods.begin(), pods.end(), [&](const PodFacts* pod) {
    return !world.hashes.IsCurrent(world.clique_template, pod->template_hash);
  });
}

struct Split {
  Pods serving;  // with an older template, the oldest first
  int32_t outdated = 0;
  int32_t ready = 0;
  int32_t ready_current = 0;
};

// Takes what does not serve away at once.
Split SplitPods(const CliqueWorld& world, const Pods& staying, PodPlan& plan) {
  Split split;
  for (const PodFacts* pod : staying) {
    const bool is_current = world.hashes.IsCurrent(world.clique_template, pod->template_hash);
    split.ready += pod->ready ? 1 : 0;
    split.ready_current += pod->ready && is_current ? 1 : 0;
    if (is_current) {
      continue;
    }
    ++split.outdated;
    if (pod->ready) {
      split.serving.push_back(pod);
    } else {
      plan.remove.push_back({pod, std::string(kOutdated)});
    }
  }
  std::sort(split.serving.begin(), split.serving.end(), [](const PodFacts* a, const PodFacts* b) {
    return std::tie(a->id.created, a->id.name) < std::tie(b->id.created, b->id.name);
  });
  return split;
}

// A pod is selected in one pass and taken away in the next one, when that stands in the status.
void StepOn(const CliqueWorld& world, const Split& split, PodPlan& plan) {
  PodCliqueUpdateProgress& progress = *plan.progress;
  auto selected = progress.ready_pods_selected.value_or(PodCliqueUpdateProgress::SelectedPods{});
  const bool may_take = split.ready >= Enough(world.clique);
  if (!selected.current.empty()) {
    const auto still =
        std::find_if(split.serving.begin(), split.serving.end(),
                     [&](const PodFacts* pod) { return pod->id.name == selected.current; });
    if (still != split.serving.end()) {
      if (may_take) {
        plan.remove.push_back({*still, std::string(kOutdated)});
      }
      return;
    }
    const auto replaced = static_cast<int32_t>(selected.completed.size()) + 1;
    if (split.ready_current < std::min(replaced, world.clique.replicas)) {
      return;
    }
    selected.completed.push_back(selected.current);
    selected.current.clear();
  }
  if (split.outdated == 0) {
    End(world.now, progress);
    return;
  }
  if (may_take && !split.serving.empty()) {
    selected.current = split.serving.front()->id.name;
    plan.look_again = Duration::zero();
  }
  if (!selected.current.empty() || !selected.completed.empty()) {
    progress.ready_pods_selected = std::move(selected);
  }
}

}  // namespace

void PlanPodUpdate(const CliqueWorld& world, const Pods& staying, PodPlan& plan) {
  plan.progress = world.clique.status.update_progress;
  if (world.set.strategy() == UpdateStrategyType::kOnDelete) {
    RecordOnDelete(world, plan);
    return;
  }
  // Pods can take up no template that their clique has not.
  if (!world.clique.standalone() ||
      !IsTurnOf(world.set, world.hashes, world.clique.place.set_replica) ||
      !world.hashes.IsCurrent(world.clique_template, world.clique.template_hash)) {
    return;
  }
  if (!IsRunning(plan.progress)) {
    const bool is_done = HasTakenUp(world) || (plan.progress && IsTarget(world, *plan.progress));
    if (is_done && !HasOutdated(world, staying)) {
      return;
    }
    plan.progress = Started(world);
  } else if (!IsTarget(world, *plan.progress)) {
    plan.progress = Started(world);
  }
  StepOn(world, SplitPods(world, staying, plan), plan);
}

}  // namespace hearth::grove
