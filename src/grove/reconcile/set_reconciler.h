#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/reconciler.h"
#include "grove/plan/set_plan.h"
#include "grove/reconcile/caches.h"
#include "grove/reconcile/claim_sync.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/grove_metrics.h"
#include "grove/reconcile/settled.h"
#include "grove/reconcile/status_pace.h"

namespace hearth::grove {

// Gives a PodCliqueSet what it has once and for each of its replicas: service account and rights,
// headless services, autoscalers, claims, scaling groups and the cliques outside of them; updates
// replicas one after the other and takes away those that were broken for too long.
class SetReconciler : public controller::Reconciler {
 public:
  struct Options {
    int workers = 10;
    bool topology = true;  // topology-aware scheduling is on
  };
  // Registers itself with the manager; what is borrowed must outlive its Run.
  SetReconciler(controller::Manager& manager, const GroveCaches& caches, GroveMetrics& metrics,
                Options options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<SetFields>;
  // One pass over one set.
  struct Work {
    controller::Pass& pass;
    const Cached& cached;
    const SetFacts& set;
    uint64_t inputs = 0;   // hash of what children are rendered from
    bool changed = false;  // the spec, since everything was as it says
    PassNotes notes;
    Status failure;     // the first
    bool more = false;  // than one pass makes
  };

  Result<controller::Outcome> Delete(controller::Pass& pass, const Cached& cached);
  // Everything but claims that is the set's own by its owners, whatever labels others have.
  std::vector<Removal> Children(const Identity& set) const;  // those that go with it
  SetWorld Gather(const SetFacts& set, const Hashes& hashes) const;
  TopologyFacts TopologyOf(const SetFacts& set) const;
  // Aliases of hashes that another operator made.
  Status NoteAliases(Work& work, const SetWorld& world) const;

  void SyncShared(Work& work);
  void SyncReplicas(Work& work, const SetWorld& world);
  void RemoveExcess(Work& work, const SetWorld& world);
  void Terminate(Work& work, const SetWorld& world, const SetPlan& plan);
  // How long until it is to be written, when that is not now.
  Result<std::optional<Duration>> WriteStatus(Work& work, const SetWorld& world,
                                              const SetPlan& plan);
  void Send(Work& work, const std::vector<Wish>& wishes) const;
  // A wish for a child, unless it is known to be as it should be.
  template <typename P, typename Render>
  void Want(Work& work, std::vector<Wish>& wishes, std::string_view code,
            const controller::Cached<P>& cache, const kube::ResourceType& type,
            const std::string& name, Birth birth, Render render);
  void WantReplica(Work& work, const SetWorld& world, int32_t i, std::vector<Wish>& wishes);

  Clock& clock_;
  const GroveCaches& caches_;
  GroveMetrics& metrics_;
  const Options options_;
  ClaimSync claims_;
  Settled settled_;
  StatusPace pace_;
};

}  // namespace hearth::grove
