#pragma once

#include <vector>

#include "grove/plan/pod_plan.h"

namespace hearth::grove {

// The rolling update of a clique outside of scaling groups, and the record of it: what has an older
// template and does not serve goes at once, what serves goes one after the other, each when the one
// before it was replaced. `staying` are the pods that the plan does not take away otherwise.
void PlanPodUpdate(const CliqueWorld& world, const std::vector<const PodFacts*>& staying,
                   PodPlan& plan);

}  // namespace hearth::grove
