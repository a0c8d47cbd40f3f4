#pragma once

#include <memory>
#include <stop_token>

#include "base/random.h"
#include "controller/controller.h"
#include "controller/internal/reconcile_metrics.h"

namespace hearth::controller::internal {

// Runs one pass for one key and settles what comes of it: when the key is looked at next, what is
// logged and counted, and when it may be handed out again. Thread-safe.
class PassRunner {
 public:
  PassRunner(const ControllerOptions& options, Reconciler& reconciler, Controller::Wiring wiring,
             std::shared_ptr<WorkQueue> queue);

  // `key` was handed out by the queue. It is done when the caches show what the pass wrote, maybe
  // after this returns.
  void Run(const kube::ObjectKey& key, Random& random, const std::stop_token& stop);

 private:
  Result<Outcome> Call(Pass& pass, const kube::ObjectKey& key);
  void Succeeded(const kube::ObjectKey& key, const Outcome& outcome);
  void Failed(const kube::ObjectKey& key, const Status& failure, const Pass& pass);
  using Done = void (WorkQueue::*)(const kube::ObjectKey&);
  void DoneOnceSeen(const kube::ObjectKey& key, const std::vector<Write>& writes, Done done);

  const Duration timeout_;
  Reconciler& reconciler_;
  Controller::Wiring wiring_;
  // Shared with the releases that the gate holds: they may outlive the controller.
  std::shared_ptr<WorkQueue> queue_;
  ReconcileMetrics metrics_;
};

}  // namespace hearth::controller::internal
