#pragma once

#include "grove/plan/internal/set_replicas.h"
#include "grove/plan/set_plan.h"

namespace hearth::grove {

// The update of a set: one replica after the other, first those that serve least. Replicas that
// the plan ends are left out; they come back with the current templates.
void PlanSetUpdate(const SetWorld& world, const SetReplicas& replicas, SetPlan& plan);

}  // namespace hearth::grove
