#pragma once

#include <memory>
#include <string>

#include "controller/reconciler.h"
#include "grove/plan/pod_plan.h"
#include "grove/reconcile/caches.h"
#include "grove/reconcile/claim_sync.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/grove_metrics.h"
#include "grove/scheduler/backend.h"

namespace hearth::grove {

// Gives a PodClique its claims and its pods: makes them, lets them go when their gang and their
// claims are there, replaces them when the template changes, takes them away.
class CliqueReconciler : public controller::Reconciler {
 public:
  struct Options {
    int workers = 10;
    std::string initc_image;  // of the container that waits for other cliques, with its tag
    std::string scheduler;    // of pods that name none
  };
  // Registers itself with the manager; what is borrowed must outlive its Run.
  CliqueReconciler(controller::Manager& manager, const GroveCaches& caches, GroveMetrics& metrics,
                   Options options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<CliqueFields>;
  // One pass over one clique.
  struct Work {
    controller::Pass& pass;
    const Cached& cached;
    const CliqueWorld& world;
    PodPlan& plan;  // what could not be done is taken out of it
    const Backend& backend;
    PassNotes& notes;
  };

  Result<controller::Outcome> Delete(controller::Pass& pass, const Cached& cached,
                                     const CliqueFacts& clique);
  std::vector<Removal> PodsOf(const CliqueFacts& clique) const;  // that go with it
  Result<controller::Outcome> Sync(controller::Pass& pass, const Cached& cached,
                                   const KnownSet& known, const CliqueFacts& clique);
  // Whether the gang that this one waits for, if any, is scheduled.
  bool NeedNotWaitForBase(const SetFacts& set, const CliqueFacts& clique) const;
  void GatherPods(CliqueWorld& world) const;
  // Each returns the first failure; all are noted.
  Status CreatePods(Work& work);
  Status RemovePods(Work& work);
  Status ReleasePods(Work& work);
  void TellCreated(Work& work, size_t failed, const Status& failure);

  Clock& clock_;
  const GroveCaches& caches_;
  GroveMetrics& metrics_;
  ClaimSync claims_;
  const Options options_;
};

}  // namespace hearth::grove
