#pragma once

#include "controller/reconciler.h"
#include "grove/plan/group_plan.h"
#include "grove/reconcile/caches.h"
#include "grove/reconcile/claim_sync.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/grove_metrics.h"

namespace hearth::grove {

// Gives a PodCliqueScalingGroup its claims and, for each of its replicas, the cliques in it;
// updates replicas one after the other and takes away those that were broken for too long.
class GroupReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  GroupReconciler(controller::Manager& manager, const GroveCaches& caches, GroveMetrics& metrics,
                  int workers);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<GroupFields>;

  Result<controller::Outcome> Delete(controller::Pass& pass, const Cached& cached,
                                     const GroupFacts& group);
  Result<controller::Outcome> Sync(controller::Pass& pass, const Cached& cached,
                                   const KnownSet& known, const GroupFacts& group,
                                   const api::grove::ScalingGroupTemplate& config);
  std::vector<CliqueFacts> MembersOf(const GroupFacts& group) const;
  // What the plan takes away; what it wants to be there.
  std::vector<Wish> Removals(controller::Pass& pass, const Cached& cached, const GroupWorld& world,
                             const GroupPlan& plan) const;
  Status EnsureMember(controller::Pass& pass, const GroupWorld& world,
                      const GroupPlan::Member& member) const;
  std::vector<Wish> Members(controller::Pass& pass, const GroupWorld& world,
                            const GroupPlan& plan) const;

  Clock& clock_;
  const GroveCaches& caches_;
  ClaimSync claims_;
};

}  // namespace hearth::grove
