#include "dynamo/recovery/cascade_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "dynamo/model/labels.h"

namespace hearth::dynamo::recovery {
namespace {

using controller::EventType;
using controller::Outcome;
using controller::Pass;

constexpr const char* kByGroup = "group";

controller::Index EnginesByGroup() {
  return {kByGroup, [](const controller::CachedObject& pod,
                       const std::function<void(std::string_view value)>& emit) {
            const EngineGroup group = ReadEngine(pod.view()).group;
            if (group.complete()) {
              emit(group.KeyIn(pod.name_space()));
            }
          }};
}

controller::WatchSpec Engines(const std::string& name_space) {
  return {.scope = {.name_space = name_space,
                    .label_selector = fmt::format("{}=true", kFailoverMemberLabel),
                    .field_selector = ""},
          .indexes = {EnginesByGroup()}};
}

EngineFacts FactsOf(const controller::CachedObject& pod) {
  EngineFacts facts = ReadEngine(pod.view());
  facts.uid = pod.uid();
  facts.deleting = pod.deleting();
  return facts;
}

}  // namespace

CascadeReconciler::CascadeReconciler(controller::Manager& manager, RecoveryMetrics& metrics,
                                     Whose whose)
    : metrics_(metrics),
      whose_(std::move(whose)),
      engines_(manager.Watch<EngineFields>(kube::types::Pods(), Engines(whose_.name_space))) {
  manager.AddController({.name = "gms-failover-cascade"}, *this).For(engines_);
}

Result<Outcome> CascadeReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = engines_.Get(key);
  if (!cached || !whose_.Has(key.name_space)) {
    return Outcome::Done();
  }
  const EngineFacts trigger = FactsOf(**cached);
  const CascadeDecision decision = DecideCascade(trigger);
  if (decision == CascadeDecision::kNoGroup) {
    pass.log().Warning("an engine has ended, but its labels do not tell its group",
                       {{"pod", key.ToString()}});
  }
  if (decision != CascadeDecision::kCascade) {
    return Outcome::Done();
  }
  const EngineGroup& group = trigger.group;
  ASSIGN_OR_RETURN(
      const size_t deleted,
      DeleteGroup(pass, trigger, engines_.Lookup(kByGroup, group.KeyIn(key.name_space))));
  pass.log().Info("deleted the engines of a group", {{"pod", key.ToString()},
                                                     {"phase", trigger.phase},
                                                     {"scaling_group", group.scaling_group},
                                                     {"replica", group.replica},
                                                     {"index", group.index},
                                                     {"pods", deleted}});
  pass.Event(kube::types::Pods(), **cached, EventType::kWarning, kFailoverCascadeEvent,
             fmt::format("pod {} has ended ({}): deleted all {} engines of its group (pcsg {}, "
                         "replica {}, index {}), which start anew together",
                         key.name, trigger.phase, deleted, group.scaling_group, group.replica,
                         group.index));
  metrics_.Cascaded(deleted);
  return Outcome::Done();
}

// At once: the group is broken, and engines that wait for one that is gone would use up any time
// they are given to end.
Result<size_t> CascadeReconciler::DeleteGroup(Pass& pass, const EngineFacts& trigger,
                                              const std::vector<Pod>& pods) {
  std::vector<EngineFacts> members;
  members.reserve(pods.size());
  for (const Pod& pod : pods) {
    members.push_back(FactsOf(*pod));
  }
  const std::vector<size_t> going = WhoGoes(trigger, members);
  for (const size_t i : going) {
    RETURN_IF_ERROR(
        pass.Delete(kube::types::Pods(), *pods[i], {.grace_period_seconds = 0}).status());
  }
  return going.size();
}

}  // namespace hearth::dynamo::recovery
