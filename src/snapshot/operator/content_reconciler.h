#pragma once

#include "controller/reconciler.h"
#include "snapshot/operator/agent_watch.h"
#include "snapshot/operator/caches.h"
#include "snapshot/operator/content_plan.h"
#include "snapshot/operator/snapshot_metrics.h"

namespace hearth::snapshot {

// Sees to it that every PodSnapshotContent ends one day: fails captures whose node or agent is
// gone, has artifacts deleted, removes contents whose snapshot is gone. Only gathers facts and
// carries out what PlanContent says.
class ContentReconciler : public controller::Reconciler {
 public:
  struct Options {
    Namespaces namespaces;
    ContentLimits limits;
  };
  // Registers itself with the manager; what is borrowed must outlive its Run.
  ContentReconciler(controller::Manager& manager, const SnapshotCaches& caches,
                    SnapshotMetrics& metrics, Options options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<ContentFields>;

  ContentWorld Gather(const Cached& content);
  void GatherAgents(ContentWorld& world);
  AgentSight Look(const controller::Snapshot<LeaseFields>& lease);
  bool IsShared(const ContentFacts& content) const;
  // As PodSnapshotReconciler has it.
  Result<bool> MakeCertain(controller::Pass& pass, ContentWorld& world, ContentDoubt doubt) const;

  Result<controller::Outcome> Execute(controller::Pass& pass, const Cached& content,
                                      const ContentWorld& world, const ContentPlan& plan);
  Status DropFinalizer(controller::Pass& pass, const Cached& content, const ContentPlan& plan);
  // Fields of the metadata, in this very version of the object.
  Status Annotate(controller::Pass& pass, const Cached& content, json::Value metadata) const;
  Status Fail(controller::Pass& pass, const Cached& content, const ContentPlan& plan) const;

  Clock& clock_;
  const SnapshotCaches caches_;
  SnapshotMetrics& metrics_;
  const Options options_;
  AgentWatch agents_;
};

// Which contents wait for the agent whose Lease changed; which for any agent.
controller::Mapper LeaseToContents(const controller::Cached<ContentFields>& contents);
controller::Mapper AgentToLeavingContents(const controller::Cached<ContentFields>& contents);
controller::Mapper NodeToContents(const controller::Cached<ContentFields>& contents);
controller::Mapper SnapshotToContents();

}  // namespace hearth::snapshot
