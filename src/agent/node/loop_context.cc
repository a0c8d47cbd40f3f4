#include "agent/node/loop_context.h"

#include <fmt/format.h>

#include "base/duration.h"
#include "base/strings.h"

namespace hearth::agent::node {

void LoopContext::Tell(const PodFacts& pod, controller::EventType type, std::string_view reason,
                       std::string_view note) const {
  constexpr size_t kLongestNote = 1000;  // the server takes 1024 bytes
  events.Record({kube::types::Pods(), pod.key, pod.uid, ""}, type, reason, reason,
                Excerpt(note, kLongestNote));
}

Status LoopContext::Kill(std::string_view container_id) const {
  if (container_id.empty()) {
    return {};
  }
  Status killed = work.Kill(container_id);
  if (!killed.ok()) {
    logger.Error("could not kill a container that is in no known state",
                 {{"container", container_id}, {"error", killed.ToString()}});
  }
  return killed;
}

std::string FormatPhases(const Phases& phases) {
  std::vector<std::string> parts;
  parts.reserve(phases.size());
  for (const auto& [name, duration] : phases) {
    parts.push_back(fmt::format(
        "{} {}", name,
        FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(duration))));
  }
  return Join(parts, ", ");
}

}  // namespace hearth::agent::node
