#include "agent/node/gate_decision.h"

#include <fmt/format.h>

#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

GateDecision Fail(std::string_view reason, std::string message) {
  return {GateDecision::Action::kFail, std::string(reason), std::move(message)};
}

}  // namespace

GateDecision DecideGate(const ContentFacts& content, const PodFacts* pod, std::string_view node) {
  if (content.node != node || content.terminal() || content.deleting) {
    return {};
  }
  if (pod == nullptr) {
    return Fail(snapshot::reason::kSourcePodNotFound,
                fmt::format("pod {} does not exist", content.pod().ToString()));
  }
  if (!content.pod_uid.empty() && content.pod_uid != pod->uid) {
    return Fail(snapshot::reason::kStalePodReference,
                fmt::format("pod {} has uid {}, the snapshot is of {}", pod->key.ToString(),
                            pod->uid, content.pod_uid));
  }
  if (pod->deleting || pod->over()) {
    return Fail(snapshot::reason::kSourcePodGone,
                fmt::format("pod {} {} before it was captured", pod->key.ToString(),
                            pod->deleting ? "was deleted" : "ended as " + pod->phase));
  }
  if (pod->Label(snapshot::kEligibleLabel) == "true") {
    return {};
  }
  return {GateDecision::Action::kMarkEligible, "", ""};
}

}  // namespace hearth::agent::node
