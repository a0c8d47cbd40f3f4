#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controller/manager.h"
#include "controller/reconciler.h"
#include "dynamo/checkpoint/checkpoint_job.h"
#include "dynamo/checkpoint/checkpoint_plan.h"
#include "dynamo/checkpoint/checkpoint_retry.h"
#include "dynamo/checkpoint/storage.h"
#include "dynamo/operator/resources.h"

namespace hearth::dynamo {

struct CheckpointOptions {
  std::string name_space;  // look after checkpoints of this one only; empty: all
  // Whether those of a namespace are looked after; not said: all are.
  std::function<bool(std::string_view name_space)> includes;
  bool enabled = true;
  bool memory_allowed = true;
  StorageConfig storage;
  std::string seccomp_profile = "profiles/block-iouring.json";
  CleanupOptions cleanup;
  RetryPolicy retry;
};

struct CheckpointCaches {
  CheckpointCaches(controller::Manager& manager, const std::string& name_space);

  controller::Cached<CheckpointFields> checkpoints;
  controller::Cached<JobFields> jobs;
  controller::Cached<OwnedSnapshotFields> snapshots;
  controller::Cached<SourcePodFields> sources;
};

// Takes a DynamoCheckpoint from the wish to a captured worker: a Job, a PodSnapshot of its pod, and
// Ready once both are done. Only gathers facts and carries out what PlanCheckpoint says.
class CheckpointReconciler : public controller::Reconciler {
 public:
  // Registers itself with the manager; what is borrowed must outlive its Run.
  CheckpointReconciler(controller::Manager& manager, CheckpointOptions options);

  Result<controller::Outcome> Reconcile(controller::Pass& pass,
                                        const kube::ObjectKey& key) override;

 private:
  using Cached = controller::Snapshot<CheckpointFields>;

  CheckpointWorld Gather(CheckpointFacts facts) const;
  JobFacts JobOf(const CheckpointFacts& checkpoint) const;
  std::string IdOwner(const CheckpointFacts& checkpoint) const;
  void AddSnapshots(CheckpointWorld& world) const;

  Status Execute(controller::Pass& pass, const Cached& cached, const CheckpointWorld& world,
                 const CheckpointPlan& plan);
  Status SetId(controller::Pass& pass, const Cached& cached, const CheckpointFacts& checkpoint);
  Status CreateJob(controller::Pass& pass, const Cached& cached, const CheckpointWorld& world);
  Status CreateSnapshot(controller::Pass& pass, const Cached& cached, const CheckpointWorld& world);
  // Another try of a capture that failed, once it is time.
  Result<controller::Outcome> TryAgain(controller::Pass& pass, const Cached& cached,
                                       const CheckpointFacts& checkpoint);
  // What is of no use once a checkpoint is ready: its Job, and snapshots of earlier versions.
  Status Tidy(controller::Pass& pass, const CheckpointFacts& checkpoint);
  Status WriteStatus(controller::Pass& pass, const Cached& cached, const CheckpointWorld& world,
                     const CheckpointPlan& plan);

  Clock& clock_;
  const CheckpointCaches caches_;
  const CheckpointOptions options_;
};

}  // namespace hearth::dynamo
