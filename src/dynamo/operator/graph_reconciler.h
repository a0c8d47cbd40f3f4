#pragma once

#include "controller/manager.h"
#include "controller/reconciler.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/operator/graph_options.h"
#include "dynamo/operator/graph_work.h"

namespace hearth::dynamo {

// Makes a DynamoGraphDeployment true: what its components share, the checkpoints they start from,
// and what runs them, which is one PodCliqueSet or, without Grove, a DynamoComponentDeployment for
// each. Says in its status which component waits for what.
class GraphReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  GraphReconciler(controller::Manager& manager, const GraphCaches& caches,
                  const GraphOptions& options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  static Status Delete(GraphWork& work);
  static Status NoteGeneration(GraphWork& work);
  static Status WriteStatus(GraphWork& work);

  Clock& clock_;
  const GraphCaches& caches_;
  const GraphOptions& options_;
};

}  // namespace hearth::dynamo
