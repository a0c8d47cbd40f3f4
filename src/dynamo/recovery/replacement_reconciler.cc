#include "dynamo/recovery/replacement_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "snapshot/protocol/names.h"

namespace hearth::dynamo::recovery {
namespace {

using controller::EventType;
using controller::Outcome;
using controller::Pass;

controller::WatchSpec RestoredPods(const std::string& name_space) {
  return {.scope = {.name_space = name_space,
                    .label_selector = fmt::format("{}=true", snapshot::kRestoreTargetLabel),
                    .field_selector = ""},
          .indexes = {}};
}

RestoredPodFacts FactsOf(const controller::CachedObject& pod) {
  RestoredPodFacts facts = ReadRestoredPod(pod.view());
  facts.deleting = pod.deleting();
  return facts;
}

}  // namespace

ReplacementReconciler::ReplacementReconciler(controller::Manager& manager, RecoveryMetrics& metrics,
                                             Whose whose)
    : metrics_(metrics),
      whose_(std::move(whose)),
      restored_(
          manager.Watch<RestoredPodFields>(kube::types::Pods(), RestoredPods(whose_.name_space))) {
  manager.AddController({.name = "gms-pod-replacement"}, *this).For(restored_);
}

Result<Outcome> ReplacementReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = restored_.Get(key);
  if (!cached || !whose_.Has(key.name_space)) {
    return Outcome::Done();
  }
  if (DecideReplacement(FactsOf(**cached)) != ReplacementDecision::kReplace) {
    return Outcome::Done();
  }
  RETURN_IF_ERROR(pass.Delete(kube::types::Pods(), **cached).status());
  pass.log().Info("deleted a restored pod whose memory server had restarted",
                  {{"pod", key.ToString()}});
  pass.Event(
      kube::types::Pods(), **cached, EventType::kWarning, kServerRestartedEvent,
      fmt::format("pod {} was restored with memory of a gms-server that has restarted since, "
                  "and cannot go on: deleted, to be made anew",
                  key.name));
  metrics_.Replaced();
  return Outcome::Done();
}

}  // namespace hearth::dynamo::recovery
