#include "dynamo/graph/restart.h"

#include <algorithm>

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;

// In the wished order, then the others as they stand.
std::vector<const RestartProgress*> InOrder(const dyn::Restart& wish,
                                            const std::vector<RestartProgress>& components) {
  std::vector<const RestartProgress*> ordered;
  const auto add = [&](const RestartProgress& component) {
    if (std::find(ordered.begin(), ordered.end(), &component) == ordered.end()) {
      ordered.push_back(&component);
    }
  };
  for (const std::string& name :
       wish.strategy ? wish.strategy->order : std::vector<std::string>()) {
    for (const RestartProgress& component : components) {
      if (component.component == name) {
        add(component);
      }
    }
  }
  std::for_each(components.begin(), components.end(), add);
  return ordered;
}

}  // namespace

RestartPlan PlanRestart(const std::optional<dyn::Restart>& wish,
                        const std::optional<dyn::RestartStatus>& before,
                        const std::vector<RestartProgress>& components) {
  RestartPlan plan;
  plan.status = before;
  for (const RestartProgress& component : components) {
    plan.stamps[component.component] = component.stamp;
  }
  if (!wish || wish->id.empty()) {
    return plan;
  }
  if (before && before->observed_id == wish->id && before->phase == dyn::RestartPhase::kCompleted) {
    return plan;
  }
  const bool parallel = wish->strategy && wish->strategy->type == dyn::RestartOrder::kParallel;
  dyn::RestartStatus status{.observed_id = wish->id};
  for (const RestartProgress* const component : InOrder(*wish, components)) {
    if (component->stamp == wish->id && component->settled) {
      continue;
    }
    if (parallel || status.in_progress.empty()) {
      plan.stamps[component->component] = wish->id;
      status.in_progress.push_back(component->component);
    }
  }
  status.phase =
      status.in_progress.empty() ? dyn::RestartPhase::kCompleted : dyn::RestartPhase::kRestarting;
  plan.status = std::move(status);
  return plan;
}

}  // namespace hearth::dynamo
