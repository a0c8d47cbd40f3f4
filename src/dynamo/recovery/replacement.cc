#include "dynamo/recovery/replacement.h"

#include <optional>
#include <string_view>

#include "kube/model/object.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo::recovery {
namespace {

constexpr std::string_view kServerContainer = "gms-server";

std::optional<json::View> FindNamed(json::View list, std::string_view name) {
  for (const json::View item : list.items()) {
    if (item["name"].StringOr("") == name) {
      return item;
    }
  }
  return std::nullopt;
}

}  // namespace

RestoredPodFacts ReadRestoredPod(json::View pod) {
  RestoredPodFacts facts;
  const kube::Meta meta(pod);
  facts.restore_target =
      pod["metadata"]["labels"][snapshot::kRestoreTargetLabel].StringOr("") == "true";
  facts.controlled = meta.controller().has_value();
  const std::string phase = pod["status"]["phase"].StringOr("");
  facts.over = phase == "Failed" || phase == "Succeeded";
  const auto server = FindNamed(pod["spec"]["initContainers"], kServerContainer);
  facts.server_beside = server && (*server)["restartPolicy"].StringOr("") == "Always";
  if (const auto status = FindNamed(pod["status"]["initContainerStatuses"], kServerContainer)) {
    facts.server_restarts = (*status)["restartCount"].Int().value_or(0);
  }
  return facts;
}

ReplacementDecision DecideReplacement(const RestoredPodFacts& pod) {
  if (!pod.restore_target) {
    return ReplacementDecision::kNotRestored;
  }
  if (pod.deleting) {
    return ReplacementDecision::kDeleting;
  }
  if (!pod.controlled) {
    return ReplacementDecision::kNobodyReplaces;
  }
  if (pod.over) {
    return ReplacementDecision::kOver;
  }
  if (!pod.server_beside) {
    return ReplacementDecision::kNoServer;
  }
  return pod.server_restarts > 0 ? ReplacementDecision::kReplace : ReplacementDecision::kServerFine;
}

}  // namespace hearth::dynamo::recovery
