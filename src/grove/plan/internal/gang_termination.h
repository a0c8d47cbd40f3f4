#pragma once

#include "grove/plan/internal/set_replicas.h"
#include "grove/plan/set_plan.h"

namespace hearth::grove {

// Replicas of the set that have been without their minimum for the whole delay are ended. Nothing
// is remembered: a breach counts from the later of its beginning and the creation of the oldest
// clique of the replica. So one that was just made anew gets the whole delay again, and one that
// was ended only in part is ended entirely.
void PlanGangTermination(const SetWorld& world, const SetReplicas& replicas, SetPlan& plan);

}  // namespace hearth::grove
