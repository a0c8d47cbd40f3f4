#pragma once

#include "controller/manager.h"
#include "controller/reconciler.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/operator/graph_options.h"

namespace hearth::dynamo {

// Makes a DynamoComponentDeployment true, be it of a graph or alone: a Deployment whose pods start
// from the component's checkpoint, and a Service; alone, also the template of its GPU claim.
class ComponentReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  ComponentReconciler(controller::Manager& manager, const GraphCaches& caches,
                      const GraphOptions& options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  struct Work;
  Status Sync(Work& work) const;
  Status PlanStartOf(Work& work) const;
  Status WantClaimTemplate(Work& work) const;
  Status WantDeployment(Work& work) const;
  Status WantService(Work& work) const;
  // Of a component that names no checkpoint but says what it is made of.
  Result<std::optional<CheckpointFacts>> FindByIdentity(
      const Work& work, const api::dynamo::CheckpointIdentity& identity) const;
  Status WriteStatus(Work& work) const;
  Status WriteFailure(Work& work, const Status& failure) const;
  Status Write(Work& work, json::Value status, bool available, std::string_view reason,
               const std::string& message) const;

  Clock& clock_;
  const GraphCaches& caches_;
  const GraphOptions& options_;
  controller::Cached<ComponentFields> own_;
};

}  // namespace hearth::dynamo
