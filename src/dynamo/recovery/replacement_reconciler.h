#pragma once

#include "controller/manager.h"
#include "controller/reconciler.h"
#include "dynamo/recovery/recovery_metrics.h"
#include "dynamo/recovery/replacement.h"
#include "dynamo/recovery/whose.h"

namespace hearth::dynamo::recovery {

inline constexpr std::string_view kServerRestartedEvent = "MemoryServerRestarted";

// Deletes restored pods whose memory server was started anew, this very pod only; their controllers
// make them anew.
class ReplacementReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  ReplacementReconciler(controller::Manager& manager, RecoveryMetrics& metrics, Whose whose);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  RecoveryMetrics& metrics_;
  const Whose whose_;
  const controller::Cached<RestoredPodFields> restored_;
};

}  // namespace hearth::dynamo::recovery
