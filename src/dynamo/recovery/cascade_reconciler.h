#pragma once

#include "controller/manager.h"
#include "controller/reconciler.h"
#include "dynamo/recovery/cascade.h"
#include "dynamo/recovery/recovery_metrics.h"
#include "dynamo/recovery/whose.h"

namespace hearth::dynamo::recovery {

inline constexpr std::string_view kFailoverCascadeEvent = "FailoverCascade";

// Deletes the engines of a group when one of them has ended. The key is that one. Nobody else is
// deleted than the very pods that were seen: what takes their place meanwhile stays.
class CascadeReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  CascadeReconciler(controller::Manager& manager, RecoveryMetrics& metrics, Whose whose);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Pod = controller::Snapshot<EngineFields>;

  // The number of pods that were deleted.
  Result<size_t> DeleteGroup(controller::Pass& pass, const EngineFacts& trigger,
                             const std::vector<Pod>& pods);

  RecoveryMetrics& metrics_;
  const Whose whose_;
  const controller::Cached<EngineFields> engines_;
};

}  // namespace hearth::dynamo::recovery
