#pragma once

#include "controller/reconciler.h"
#include "snapshot/operator/caches.h"
#include "snapshot/operator/snapshot_metrics.h"
#include "snapshot/operator/snapshot_plan.h"

namespace hearth::snapshot {

// Gives every PodSnapshot its content, tells what becomes of that, and takes it away again. Only
// gathers facts and carries out what PlanSnapshot says.
class PodSnapshotReconciler : public controller::Reconciler {
 public:
  struct Options {
    Namespaces namespaces;
    Duration deadline = Duration::zero();  // of a snapshot whose pod finds no node; zero: none
  };
  // Registers itself with the manager; what is borrowed must outlive its Run.
  PodSnapshotReconciler(controller::Manager& manager, const SnapshotCaches& caches,
                        SnapshotMetrics& metrics, Options options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<SnapshotFields>;

  SnapshotWorld Gather(const Cached& snapshot) const;
  // Asks the server about what the plan doubts. False: the cache lags behind, and what it has
  // missed will wake us.
  Result<bool> MakeCertain(controller::Pass& pass, SnapshotWorld& world, Doubt doubt) const;
  Result<bool> IsContentGone(controller::Pass& pass, const SnapshotWorld& world) const;
  Result<bool> IsPodAsCached(controller::Pass& pass, const SnapshotWorld& world) const;

  Result<controller::Outcome> Execute(controller::Pass& pass, const Cached& snapshot,
                                      const SnapshotWorld& world, const SnapshotPlan& plan);
  Status CreateContent(controller::Pass& pass, const Cached& snapshot, const SnapshotWorld& world);
  Status DeleteContent(controller::Pass& pass, const ContentFacts& content) const;
  // How long what was captured took to start, as an annotation.
  Status TellColdStart(controller::Pass& pass, const Cached& snapshot,
                       const ContentFacts& content) const;
  Status WriteStatus(controller::Pass& pass, const Cached& snapshot, const SnapshotWorld& world,
                     const SnapshotPlan& plan);
  // Events and numbers of a snapshot that has just ended.
  void Tell(controller::Pass& pass, const Cached& snapshot, const SnapshotWorld& world,
            const SnapshotPlan& plan);
  void Count(const SnapshotWorld& world, const SnapshotPlan& plan);

  Clock& clock_;
  const SnapshotCaches caches_;
  SnapshotMetrics& metrics_;
  const Options options_;
};

// Which snapshots a change of a content or of a pod concerns.
controller::Mapper ContentToSnapshots(const controller::Cached<SnapshotFields>& snapshots);
controller::Mapper PodToSnapshots(const controller::Cached<SnapshotFields>& snapshots);

}  // namespace hearth::snapshot
