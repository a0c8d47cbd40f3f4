#pragma once

#include "controller/manager.h"
#include "snapshot/operator/content_reconciler.h"
#include "snapshot/operator/pod_snapshot_reconciler.h"

namespace hearth::snapshot {

struct SnapshotControllerOptions {
  Namespaces namespaces;
  ContentLimits limits;
};

// Both controllers of snapshots. Must outlive the manager's Run.
class SnapshotControllers {
 public:
  SnapshotControllers(controller::Manager& manager, const SnapshotControllerOptions& options)
      : caches_(manager, options.namespaces),
        metrics_(manager.metrics()),
        snapshots_(manager, caches_, metrics_, {options.namespaces, options.limits.deadline}),
        contents_(manager, caches_, metrics_, {options.namespaces, options.limits}) {}

 private:
  SnapshotCaches caches_;
  SnapshotMetrics metrics_;
  PodSnapshotReconciler snapshots_;
  ContentReconciler contents_;
};

}  // namespace hearth::snapshot
