#include "agent/node/restore_decision.h"

#include <fmt/format.h>

#include <algorithm>

#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::agent::node {
namespace {

using Action = RestoreDecision::Action;

// What the kubelet says, else what the runtime said.
std::string ContainerId(const RestoreQuestion& q) {
  return ContainerIdOf(q.pod, q.target, q.resolved_id);
}

// Nothing can be restored into a container that has ended; the next one has another id.
bool IsOver(const RestoreQuestion& q) {
  const ContainerFacts* const told = q.pod.Container(q.target);
  return told != nullptr && !told->running && !told->id.empty();
}

// Whoever restored into it is gone, and so is it: nobody else will say so.
bool EndedOnTheWay(const RestoreQuestion& q) {
  return IsOver(q) && RestoreStatusOf(q.pod, q.target, ContainerId(q)) == snapshot::kInProgress;
}

// Whoever clears the annotations asks for another restore; who was killed has left them.
bool WasRestored(const RestoreQuestion& q) {
  return q.noted && RestoreStatusOf(q.pod, q.target, ContainerId(q)) == snapshot::kInProgress;
}

bool IsDone(const RestoreQuestion& q) {
  const std::string_view status = RestoreStatusOf(q.pod, q.target, ContainerId(q));
  return status == snapshot::kCompleted || status == snapshot::kFailed;
}

bool IsForeign(const RestoreQuestion& q) {
  return !q.other_namespaces && q.stored.pod_namespace != q.pod.key.name_space;
}

// Told to those whose it is, or may be.
bool IsDamaged(const RestoreQuestion& q) {
  return !q.stored.damage.empty() && (q.stored.pod_namespace.empty() || !IsForeign(q));
}

RestoreDecision Say(Action action, std::string message) { return {action, "", std::move(message)}; }

// The first row that holds decides.
struct Row {
  bool (*holds)(const RestoreQuestion& q);
  RestoreDecision (*decide)(const RestoreQuestion& q);
};
constexpr auto kNothing = [](const RestoreQuestion&) { return RestoreDecision{}; };
const Row kRows[] = {
    {[](const auto& q) { return q.in_flight; }, kNothing},
    {IsDone, kNothing},
    {EndedOnTheWay,
     [](const auto& q) {
       return RestoreDecision{Action::kFail, ContainerId(q),
                              "its container ended while it was restored into"};
     }},
    {IsOver, kNothing},
    // Restored once more it would lose all that it did since.
    {WasRestored,
     [](const auto& q) {
       return RestoreDecision{Action::kLetGo, ContainerId(q), ""};
     }},
    {[](const auto& q) { return !q.stored.present; },
     [](const auto& q) {
       return Say(Action::kWait, fmt::format("checkpoint {} version {} is not in the store",
                                             q.aim.checkpoint_id, q.aim.version));
     }},
    {IsDamaged,
     [](const auto& q) {
       return Say(Action::kRefuse,
                  fmt::format("checkpoint {} version {} is damaged: {}", q.aim.checkpoint_id,
                              q.aim.version, q.stored.damage));
     }},
    {IsForeign,
     [](const auto& q) {
       return Say(Action::kRefuse,
                  fmt::format("checkpoint {} version {} was not taken in namespace {}",
                              q.aim.checkpoint_id, q.aim.version, q.pod.key.name_space));
     }},
    {[](const auto& q) { return q.needs_ip && q.pod.ips.empty(); },
     [](const auto&) { return Say(Action::kWait, "the pod has no address yet"); }},
    {[](const auto& q) { return ContainerId(q).empty(); },
     [](const auto&) { return Say(Action::kResolve, "the container is not known to run yet"); }},
    {[](const auto&) { return true; },
     [](const auto& q) {
       return RestoreDecision{Action::kStart, ContainerId(q), ""};
     }},
};

}  // namespace

bool ConcernsRestore(const PodFacts& pod, std::string_view node) {
  return pod.node == node && !pod.deleting && (pod.phase == "Pending" || pod.phase == "Running") &&
         pod.labels.count(snapshot::kSourceLabel) == 0 &&
         pod.labels.count(snapshot::kCheckpointIdLabel) > 0;
}

Result<RestoreAim> FindRestoreAim(const PodFacts& pod) {
  RestoreAim aim;
  aim.checkpoint_id = pod.Label(snapshot::kCheckpointIdLabel);
  aim.version = snapshot::ArtifactVersionOr1(pod.Annotation(snapshot::kVersionAnnotation));
  RETURN_IF_ERROR(snapshot::CheckCheckpointId(aim.checkpoint_id));
  RETURN_IF_ERROR(snapshot::CheckArtifactVersion(aim.version));
  auto targets = snapshot::ParseTargets(pod.Annotation(snapshot::kTargetsAnnotation));
  if (!targets.ok()) {
    return targets.status().WithContext(fmt::format("annotation {}", snapshot::kTargetsAnnotation));
  }
  aim.targets = *std::move(targets);
  if (aim.targets.empty()) {
    return InvalidError(fmt::format("annotation {} must name the containers to restore into",
                                    snapshot::kTargetsAnnotation));
  }
  for (const std::string& target : aim.targets) {
    RETURN_IF_ERROR(snapshot::KeysOfTarget(target));
    if (!pod.HasContainer(target)) {
      return InvalidError(fmt::format("annotation {}: the pod has no container {}",
                                      snapshot::kTargetsAnnotation, target));
    }
  }
  return aim;
}

RestoreDecision DecideRestore(const RestoreQuestion& question) {
  for (const Row& row : kRows) {
    if (row.holds(question)) {
      return row.decide(question);
    }
  }
  return {};
}

std::string ContainerIdOf(const PodFacts& pod, std::string_view target,
                          std::string_view resolved_id) {
  const ContainerFacts* const told = pod.Container(target);
  return told != nullptr && !told->id.empty() ? told->id : std::string(resolved_id);
}

std::string_view RestoreStatusOf(const PodFacts& pod, std::string_view target,
                                 std::string_view container_id) {
  const auto keys = snapshot::KeysOfTarget(target);
  if (!keys.ok() || container_id.empty() || pod.Annotation(keys->container_id) != container_id) {
    return {};
  }
  return pod.Annotation(keys->status);
}

std::string SumUp(const std::vector<std::string>& words) {
  const auto is = [](std::string_view wanted) {
    return [wanted](const std::string& word) { return word == wanted; };
  };
  if (std::any_of(words.begin(), words.end(), is(snapshot::kFailed))) {
    return std::string(snapshot::kFailed);
  }
  if (!words.empty() && std::all_of(words.begin(), words.end(), is(snapshot::kCompleted))) {
    return std::string(snapshot::kCompleted);
  }
  if (std::all_of(words.begin(), words.end(), is(snapshot::kWaiting))) {
    return std::string(snapshot::kWaiting);
  }
  return std::string(snapshot::kInProgress);
}

}  // namespace hearth::agent::node
