#include "dynamo/recovery/cascade.h"

#include <fmt/format.h>

#include <optional>

#include "dynamo/model/labels.h"
#include "grove/model/labels.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo::recovery {

std::string EngineGroup::KeyIn(std::string_view name_space) const {
  return fmt::format("{}/{}/{}/{}", name_space, scaling_group, replica, index);
}

EngineFacts ReadEngine(json::View pod) {
  const json::View labels = pod["metadata"]["labels"];
  const auto label = [&](std::string_view key) { return labels[key].StringOr(""); };
  EngineFacts facts;
  facts.phase = pod["status"]["phase"].StringOr("");
  facts.member = label(kFailoverMemberLabel) == "true";
  facts.restore_target = label(snapshot::kRestoreTargetLabel) == "true";
  facts.group = {label(grove::kGroupLabel), label(grove::kGroupReplicaLabel),
                 label(grove::kPodIndexLabel)};
  return facts;
}

CascadeDecision DecideCascade(const EngineFacts& pod) {
  if (!pod.member) {
    return CascadeDecision::kNotMember;
  }
  if (pod.restore_target) {
    return CascadeDecision::kRestoreTarget;
  }
  if (pod.deleting) {
    return CascadeDecision::kDeleting;
  }
  if (pod.phase != "Failed" && pod.phase != "Succeeded") {
    return CascadeDecision::kAlive;
  }
  return pod.group.complete() ? CascadeDecision::kCascade : CascadeDecision::kNoGroup;
}

std::vector<size_t> WhoGoes(const EngineFacts& trigger, const std::vector<EngineFacts>& members) {
  std::vector<size_t> going;
  std::optional<size_t> last;
  for (size_t i = 0; i < members.size(); ++i) {
    const EngineFacts& member = members[i];
    if (!member.member || member.restore_target || member.deleting ||
        !(member.group == trigger.group)) {
      continue;
    }
    if (member.uid == trigger.uid) {
      last = i;
    } else {
      going.push_back(i);
    }
  }
  if (last) {
    going.push_back(*last);
  }
  return going;
}

}  // namespace hearth::dynamo::recovery
