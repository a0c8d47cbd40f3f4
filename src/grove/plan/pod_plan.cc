#include "grove/plan/pod_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "grove/model/indices.h"
#include "grove/plan/internal/gates.h"
#include "grove/plan/internal/pod_update.h"

namespace hearth::grove {
namespace {

using Pods = std::vector<const PodFacts*>;

// Pods of a former clique of the same name have the same names for the network, and maybe the same
// claims. Nothing takes their place while they run; nor, when each index has claims of its own,
// before they are gone.
std::map<int32_t, const PodFacts*> TakeFormerAway(const CliqueWorld& world, PodPlan& plan) {
  std::map<int32_t, const PodFacts*> held;
  for (const PodFacts& pod : world.former) {
    if (!pod.id.deleting) {
      plan.remove.push_back({&pod, "it belongs to a former PodClique of this name"});
    }
    if (pod.index && (!pod.id.deleting || world.per_replica_claims)) {
      held.emplace(*pod.index, &pod);
    }
  }
  return held;
}

Pods Existing(const CliqueWorld& world) {
  Pods existing;
  for (const PodFacts& pod : world.pods) {
    if (!pod.id.deleting) {
      existing.push_back(&pod);
    }
  }
  return existing;
}

void TakeAway(const PodFacts* pod, std::string why, Pods& staying, PodPlan& plan) {
  plan.remove.push_back({pod, std::move(why)});
  std::erase(staying, pod);
}

void TakeExcessAway(const CliqueWorld& world, Pods& staying, PodPlan& plan) {
  const size_t wanted = static_cast<size_t>(std::max(world.clique.replicas, 0));
  if (staying.size() <= wanted) {
    return;
  }
  Pods order = DeletionOrder(world, staying);
  order.resize(staying.size() - wanted);
  const std::set<const PodFacts*> going(order.begin(), order.end());
  for (const PodFacts* pod : order) {
    plan.remove.push_back({pod, "there are more pods than replicas"});
  }
  std::erase_if(staying, [&](const PodFacts* pod) { return going.contains(pod); });
}

// In place of what this plan takes away, pods are made when that is seen to be ending.
void MakeMissing(const CliqueWorld& world, const std::map<int32_t, const PodFacts*>& held,
                 size_t existing, PodPlan& plan) {
  const auto missing = world.clique.replicas - static_cast<int32_t>(existing);
  for (const int32_t index : FreeIndices(world.pods, {}, std::max(missing, 0))) {
    if (const auto former = held.find(index); former != held.end()) {
      if (former->second->id.deleting) {
        plan.held_by.push_back(former->second);
      }
    } else if (plan.create.size() < kMostPerPass) {
      plan.create.push_back({.index = index, .gated = true});
    } else {
      plan.look_again = Duration::zero();
      return;
    }
  }
}

}  // namespace

PodPlan PlanPods(const CliqueWorld& world) {
  PodPlan plan;
  plan.progress = world.clique.status.update_progress;
  if (world.clique.id.deleting) {
    return plan;
  }
  const auto held = TakeFormerAway(world, plan);
  Pods staying = Existing(world);
  const size_t existing = staying.size();
  for (const PodFacts* pod : Misnumbered(world.pods)) {
    TakeAway(pod, "its index is that of another pod, or none", staying, plan);
  }
  TakeExcessAway(world, staying, plan);
  const size_t before_update = plan.remove.size();
  PlanPodUpdate(world, staying, plan);
  for (size_t i = before_update; i < plan.remove.size(); ++i) {
    std::erase(staying, plan.remove[i].pod);
  }
  MakeMissing(world, held, existing, plan);
  PlanGates(Gates(world), staying, plan);
  return plan;
}

}  // namespace hearth::grove
