#include "grove/plan/set_plan.h"

#include "grove/plan/internal/gang_termination.h"
#include "grove/plan/internal/set_replicas.h"
#include "grove/plan/internal/set_update.h"

namespace hearth::grove {

SetPlan PlanSet(const SetWorld& world) {
  SetPlan plan;
  plan.progress = world.set.status.update_progress;
  if (world.set.id.deleting) {
    return plan;
  }
  const SetReplicas replicas(world);
  PlanGangTermination(world, replicas, plan);
  PlanSetUpdate(world, replicas, plan);
  return plan;
}

}  // namespace hearth::grove
