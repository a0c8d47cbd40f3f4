#include "snapshot/operator/agent_watch.h"

namespace hearth::snapshot {

AgentSight AgentWatch::Look(const std::string& node, const std::string& renewed, Duration lasts,
                            SteadyTime now) {
  const auto seen = seen_.Lock();
  const auto [entry, is_new] = seen->try_emplace(node, Seen{renewed, now});
  if (!is_new && entry->second.renewed != renewed) {
    entry->second = {renewed, now};
  }
  const Duration unchanged = now - entry->second.at;
  if (unchanged < lasts) {
    return {AgentSight::Kind::kAlive, Duration::zero(), lasts - unchanged};
  }
  return {AgentSight::Kind::kSilent, unchanged - lasts, Duration::zero()};
}

void AgentWatch::Forget(const std::string& node) { seen_.Lock()->erase(node); }

}  // namespace hearth::snapshot
