#include "agent/node/loop_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/node/either_stop.h"
#include "base/duration.h"
#include "base/strings.h"

namespace hearth::agent::node {
namespace {

constexpr Duration kFirstWait = std::chrono::milliseconds(100);
constexpr Duration kLongestWait = std::chrono::seconds(10);

// Until it is done: one that has ended is, too.
void KillLater(const LoopContext& context, std::string container_id) {
  context.jobs.Start("kill/" + container_id, [context, container_id](const std::stop_token& stop) {
    const EitherStop over(stop, context.jobs.closing());
    Duration wait = kFirstWait;
    while (true) {
      const bool goes_on = SleepFor(context.clock, wait, over.token());
      const Status killed = context.work.Kill(container_id);
      if (killed.ok()) {
        context.logger.Info("killed a container that is in no known state",
                            {{"container", container_id}});
        return;
      }
      if (!goes_on) {
        return;
      }
      wait = std::min(2 * wait, kLongestWait);
    }
  });
}

}  // namespace

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
    KillLater(*this, std::string(container_id));
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
