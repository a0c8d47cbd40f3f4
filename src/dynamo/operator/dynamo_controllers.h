#pragma once

#include "controller/manager.h"
#include "dynamo/operator/checkpoint_reconciler.h"
#include "dynamo/operator/component_reconciler.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/operator/graph_options.h"
#include "dynamo/operator/graph_reconciler.h"
#include "dynamo/recovery/recovery_controllers.h"
#include "kube/client/discovery.h"

namespace hearth::dynamo {

struct DynamoOptions {
  GraphOptions graphs;
  CleanupOptions cleanup;  // of artifacts of deleted checkpoints
};

// Finds out what the cluster serves of what graphs may use; what the options forbid stays so. Waits
// for the API server. kUnsupported: the options demand what is not there.
Status AskCluster(kube::Discovery& discovery, const WaitLimit& limit, GraphFeatures& features);

// The controllers of graphs, components and checkpoints, and those that delete pods which cannot
// come back by themselves. Must outlive the manager's Run.
class DynamoControllers {
 public:
  DynamoControllers(controller::Manager& manager, const DynamoOptions& options);

 private:
  const GraphOptions options_;
  GraphCaches caches_;
  GraphReconciler graphs_;
  ComponentReconciler components_;
  CheckpointReconciler checkpoints_;
  RecoveryControllers recovery_;
};

}  // namespace hearth::dynamo
