#include "grove/plan/internal/gates.h"

#include <fmt/format.h>

namespace hearth::grove {

Gates::Gates(const CliqueWorld& world) : world_(world) {
  if (world.gang == nullptr || !world.gang_must_name_pods) {
    return;
  }
  for (const auto& group : world.gang->spec.pod_groups) {
    if (group.name == world.clique.id.name) {
      for (const auto& reference : group.pod_references) {
        named_.insert(reference.name);
      }
    }
  }
}

std::string Gates::HeldBy(int32_t index, std::string_view pod) const {
  if (world_.claims_ready && !world_.claims_ready(index)) {
    return fmt::format("the claims of index {} are not ready", index);
  }
  if (!world_.base_gang_scheduled) {
    return fmt::format("gang {} is not scheduled yet", world_.clique.base_gang);
  }
  if (world_.gang_must_name_pods && !named_.contains(pod)) {
    return fmt::format("gang {} does not name them yet", world_.clique.gang);
  }
  return "";
}

void PlanGates(const Gates& gates, const std::vector<const PodFacts*>& staying, PodPlan& plan) {
  size_t held = 0;
  std::string first;
  const auto hold = [&](const std::string& why) { first = held++ == 0 ? why : first; };
  for (const PodFacts* pod : staying) {
    if (!pod->gated || !pod->active() || !pod->index) {
      continue;
    }
    const std::string why = gates.HeldBy(*pod->index, pod->id.name);
    if (why.empty()) {
      plan.ungate.push_back(pod);
    } else {
      hold(why);
    }
  }
  for (PodPlan::Creation& creation : plan.create) {
    const std::string why = gates.HeldBy(creation.index, "");
    creation.gated = !why.empty();
    if (creation.gated) {
      hold(why);
    }
  }
  if (held > 0) {
    plan.waiting = fmt::format("{} {} wait: {}", held, held == 1 ? "pod" : "pods", first);
  }
}

}  // namespace hearth::grove
