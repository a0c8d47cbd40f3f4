#include <fmt/format.h>

#include "admission/grove/internal/part.h"
#include "admission/grove/internal/schedulers.h"
#include "admission/rules/reading.h"
#include "base/seeded_hash.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr std::string_view kQueue = "kai.scheduler/queue";

constexpr Rule kOneScheduler{
    "one-scheduler",
    "A gang is scheduled by one scheduler. Give all cliques the same schedulerName, or none."};
constexpr Rule kSchedulerEnabled{
    "scheduler-enabled",
    "The operator hands gangs only to schedulers of its configuration; pods for another one would "
    "wait for ever. Name an enabled scheduler, or add a profile for this one to the operator's "
    "configuration."};
constexpr Rule kKaiQueue{
    "kai-queue",
    "kai-scheduler takes pods from queues, and all pods of a set from the same one. Put the label "
    "kai.scheduler/queue on the set, or the same one on its cliques."};
constexpr Rule kSchedulerTopology{
    "scheduler-knows-topology",
    "This scheduler cannot keep pods within a part of the cluster, so the constraint would be "
    "ignored. Remove topologyConstraint or use another scheduler."};

std::string_view SchedulerOf(const SetOutline::Clique& clique, const Setup& setup) {
  const std::string_view name = Text(Member(*clique.spec, "podSpec"), "schedulerName");
  return name.empty() ? DefaultScheduler(setup) : name;
}

void TellScheduler(const Rule& rule, size_t clique, std::string_view name, std::string detail,
                   Findings& findings) {
  const FieldPath item = kCliquesPath.Item(clique);
  const FieldPath spec = item.Child("spec");
  const FieldPath pod = spec.Child("podSpec");
  findings.Add(rule, schema::Invalid(pod.Child("schedulerName"), name, std::move(detail)));
}

// Each name once, where it stands first.
void CheckSchedulers(const SetOutline& set, const Setup& setup, Findings& findings) {
  SeededSet<std::string_view> seen;
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const std::string_view name = SchedulerOf(set.cliques[i], setup);
    if (!seen.insert(name).second) {
      continue;
    }
    if (!IsEnabled(setup, name)) {
      TellScheduler(
          kSchedulerEnabled, i, name,
          "not enabled in the operator's configuration; enabled are " + EnabledText(setup),
          findings);
    }
    if (i > 0) {
      TellScheduler(kOneScheduler, i, name,
                    fmt::format("must be the same for all cliques, and cliques[0] has '{}'",
                                SchedulerOf(set.cliques[0], setup)),
                    findings);
    }
  }
}

// The label counts before the annotation.
std::string_view QueueOf(const json::Value& object) {
  const std::string_view label = Text(Member(object, "labels"), kQueue);
  return label.empty() ? Text(Member(object, "annotations"), kQueue) : label;
}

void CheckQueue(const SetOutline& set, Findings& findings) {
  std::string_view queue = QueueOf(Member(set.object, "metadata"));
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    const std::string_view own = QueueOf(*set.cliques[i].value);
    if (!own.empty() && !queue.empty() && own != queue) {
      const FieldPath item = kCliquesPath.Item(i);
      const FieldPath labels = item.Child("labels");
      findings.Add(kKaiQueue, schema::Invalid(labels.Key(kQueue), own,
                                              fmt::format("all pods of a set must be in one queue, "
                                                          "and others are in '{}'",
                                                          queue)));
    }
    queue = queue.empty() ? own : queue;
  }
  if (queue.empty()) {
    const FieldPath labels = kMetadataPath.Child("labels");
    findings.Add(kKaiQueue,
                 schema::Required(labels.Key(kQueue), "kai-scheduler needs the name of a queue"));
  }
}

void CheckTopology(const SetOutline& set, std::string_view scheduler, Findings& findings) {
  const std::string detail =
      fmt::format("scheduler '{}' does not support Grove topology constraints", scheduler);
  const auto check = [&](const json::Value& object, const FieldPath& path) {
    const json::Value& constraint = Member(object, "topologyConstraint");
    if (!constraint.IsNull()) {
      findings.Add(kSchedulerTopology,
                   schema::Invalid(path.Child("topologyConstraint"), constraint, detail));
    }
  };
  check(set.set_template, kTemplatePath);
  for (size_t i = 0; i < set.groups.size(); ++i) {
    check(*set.groups[i].value, kGroupsPath.Item(i));
  }
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    check(*set.cliques[i].value, kCliquesPath.Item(i));
  }
}

void Check(const SetOutline& set, const Request& request, Findings& findings) {
  if (set.cliques.empty()) {
    return;
  }
  CheckSchedulers(set, request.setup, findings);
  const std::string_view scheduler = SchedulerOf(set.cliques[0], request.setup);
  if (scheduler == kKai) {
    CheckQueue(set, findings);
  } else if (scheduler == "volcano" || scheduler == "lpx-scheduler") {
    CheckTopology(set, scheduler, findings);
  }
}

}  // namespace

Part SchedulerPart() {
  return {Check, {&kOneScheduler, &kSchedulerEnabled, &kKaiQueue, &kSchedulerTopology}};
}

}  // namespace hearth::admission::grove
