#pragma once

#include "grove/plan/group_plan.h"
#include "grove/plan/internal/group_replicas.h"

namespace hearth::grove {

// The rolling update of a scaling group, and the record of it: replicas of an older template that
// do not serve go at once, those that serve one after the other, each when the one before it serves
// again.
void PlanGroupUpdate(const GroupWorld& world, const GroupReplicas& replicas, GroupPlan& plan);

}  // namespace hearth::grove
