#include "agent/node/capture_decision.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/node/ownership.h"
#include "base/strings.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::agent::node {
namespace {

using Action = CaptureDecision::Action;

Status Refused(std::string_view reason, std::string message) {
  return {Code::kInvalid, std::string(reason), std::move(message)};
}

// Orders of older operators name no container; the pod's annotation does.
Result<std::string> FindTarget(const ContentFacts& content, const PodFacts& pod) {
  std::vector<std::string> names = content.containers;
  if (names.empty()) {
    auto annotated = snapshot::ParseTargets(pod.Annotation(snapshot::kTargetsAnnotation));
    if (!annotated.ok()) {
      return annotated.status().WithReason(snapshot::reason::kInvalidTargetContainer);
    }
    names = *std::move(annotated);
  }
  if (names.size() != 1 || Trim(names.front()).empty()) {
    return Refused(
        snapshot::reason::kInvalidTargetContainer,
        fmt::format("exactly one container must be named to be captured, not {}", names.size()));
  }
  return std::string(Trim(names.front()));
}

bool Ended(const CaptureQuestion& q) { return q.pod.deleting || q.pod.over(); }

bool IsStale(const CaptureQuestion& q) {
  return !q.content.pod_uid.empty() && q.content.pod_uid != q.pod.uid;
}

const ContainerFacts* FailedContainer(const PodFacts& pod) {
  const auto failed = std::find_if(
      pod.containers.begin(), pod.containers.end(),
      [](const ContainerFacts& container) { return container.exit_code.value_or(0) != 0; });
  return failed == pod.containers.end() ? nullptr : &*failed;
}

const ContainerFacts* Target(const CaptureQuestion& q) { return q.pod.Container(q.aim->target); }

bool IsReady(const CaptureQuestion& q) {
  const ContainerFacts* const target = Target(q);
  return target != nullptr && q.pod.phase == "Running" && (target->ready || q.target_is_ready);
}

CaptureDecision Fail(std::string_view reason, std::string message) {
  CaptureDecision decision{Action::kFail};
  decision.reason = reason;
  decision.message = std::move(message);
  return decision;
}

CaptureDecision FailStale(const CaptureQuestion& q) {
  auto decision = Fail(snapshot::reason::kStalePodReference,
                       fmt::format("pod {} has uid {}, the snapshot is of {}", q.pod.key.ToString(),
                                   q.pod.uid, q.content.pod_uid));
  decision.unmark = true;
  return decision;
}

CaptureDecision FailAim(const CaptureQuestion& q) {
  return Fail(q.aim.status().reason(), std::string(q.aim.status().message()));
}

CaptureDecision FailTaken(const CaptureQuestion& q) {
  return Fail(snapshot::reason::kArtifactConflict,
              fmt::format("checkpoint {} version {} is already stored by another snapshot: choose "
                          "another id or version, or delete that one",
                          q.aim->checkpoint_id, q.aim->version));
}

CaptureDecision FailCutOff(const CaptureQuestion& q) {
  auto decision = Fail(
      snapshot::reason::kCaptureInterrupted,
      fmt::format("the agent was killed while it captured container {} of pod {}: nobody knows "
                  "its state, and it does not run on. Delete the pod, whose network may still be "
                  "held, and take a snapshot of another",
                  q.aim->target, q.pod.key.ToString()));
  const ContainerFacts* const target = Target(q);
  if (q.target_cut_off && target != nullptr && target->running) {
    decision.kill.push_back(target->id);
  }
  return decision;
}

CaptureDecision FailContainer(const CaptureQuestion& q) {
  const ContainerFacts& failed = *FailedContainer(q.pod);
  auto decision = Fail(snapshot::reason::kCheckpointContainerFailed,
                       fmt::format("container {} of pod {} ended with code {}", failed.name,
                                   q.pod.key.ToString(), *failed.exit_code));
  for (const ContainerFacts& container : q.pod.containers) {
    if (container.running) {
      decision.kill.push_back(container.id);
    }
  }
  return decision;
}

CaptureDecision FailGone(const CaptureQuestion& q) {
  auto decision = Fail(snapshot::reason::kSourcePodGone,
                       fmt::format("pod {} {} before it was captured", q.pod.key.ToString(),
                                   q.pod.deleting ? "was deleted" : "ended as " + q.pod.phase));
  decision.unmark = true;
  return decision;
}

CaptureDecision Act(Action action, const CaptureQuestion& q) {
  CaptureDecision decision{action};
  const ContainerFacts* const target = Target(q);
  if (target != nullptr && target->running) {
    decision.container_id = target->id;
  }
  return decision;
}

CaptureDecision FailUnresolved(const CaptureQuestion& q) {
  return Fail(snapshot::reason::kContainerNotResolved,
              fmt::format("container {} of pod {} is ready but has no id", q.aim->target,
                          q.pod.key.ToString()));
}

// The first row that holds decides. Later rows may take what earlier ones exclude for granted.
struct Row {
  bool (*holds)(const CaptureQuestion& q);
  CaptureDecision (*decide)(const CaptureQuestion& q);
};
constexpr auto kNothing = [](const CaptureQuestion&) { return CaptureDecision{}; };
const Row kRows[] = {
    {[](const auto& q) { return q.content.node != q.node || q.content.terminal(); }, kNothing},
    {IsStale, FailStale},
    {[](const auto& q) { return !q.aim.ok(); }, FailAim},
    {[](const auto& q) { return q.in_flight; }, kNothing},
    // Whatever became of the pod since: what is stored is complete.
    {[](const auto& q) { return q.stored.present && IsOf(q.stored, q.content); },
     [](const auto& q) { return Act(Action::kFinish, q); }},
    {[](const auto& q) { return q.order_cut_off || q.target_cut_off; }, FailCutOff},
    {[](const auto& q) { return q.stored.present; }, FailTaken},
    {[](const auto& q) { return FailedContainer(q.pod) != nullptr; }, FailContainer},
    {Ended, FailGone},
    {[](const auto& q) { return !IsReady(q); },
     [](const auto& q) { return Act(Action::kAwaitReady, q); }},
    {[](const auto& q) { return !Target(q)->running; }, FailUnresolved},
    {[](const auto&) { return true; }, [](const auto& q) { return Act(Action::kCapture, q); }},
};

}  // namespace

Result<CaptureAim> FindAim(const ContentFacts& content, const PodFacts& pod) {
  CaptureAim aim;
  aim.checkpoint_id = pod.Label(snapshot::kCheckpointIdLabel);
  aim.version = snapshot::ArtifactVersionOr1(pod.Annotation(snapshot::kVersionAnnotation));
  if (aim.checkpoint_id.empty()) {
    return Refused(
        snapshot::reason::kMissingCheckpointId,
        fmt::format("pod {} has no label {}", pod.key.ToString(), snapshot::kCheckpointIdLabel));
  }
  const Status id = snapshot::CheckCheckpointId(aim.checkpoint_id);
  if (!id.ok()) {
    return id.WithReason(snapshot::reason::kInvalidCheckpointId);
  }
  const Status version = snapshot::CheckArtifactVersion(aim.version);
  if (!version.ok()) {
    return version.WithReason(snapshot::reason::kInvalidDestination);
  }
  ASSIGN_OR_RETURN(aim.target, FindTarget(content, pod));
  return aim;
}

CaptureDecision DecideCapture(const CaptureQuestion& question) {
  for (const Row& row : kRows) {
    if (row.holds(question)) {
      return row.decide(question);
    }
  }
  return {};
}

std::optional<std::string> FindReleasable(const ContentFacts& content, const PodFacts& pod) {
  if (!content.ready || content.failed || content.deleting ||
      (!content.pod_uid.empty() && content.pod_uid != pod.uid)) {
    return std::nullopt;
  }
  const auto target = FindTarget(content, pod);
  const ContainerFacts* const container = target.ok() ? pod.Container(*target) : nullptr;
  if (container == nullptr || !container->running) {
    return std::nullopt;
  }
  return container->id;
}

}  // namespace hearth::agent::node
