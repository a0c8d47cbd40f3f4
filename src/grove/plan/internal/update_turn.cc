#include "grove/plan/internal/update_turn.h"

#include <algorithm>

namespace hearth::grove {

using api::grove::PodCliqueSetUpdateProgress;
using api::grove::UpdateStrategyType;

bool IsNoted(const SetFacts& set, const Hashes& hashes) {
  return hashes.IsCurrentGeneration(set.status.current_generation_hash);
}

bool IsTurnOf(const SetFacts& set, const Hashes& hashes, std::optional<int32_t> set_replica) {
  const auto& progress = set.status.update_progress;
  if (set.strategy() != UpdateStrategyType::kRollingRecreate || !IsNoted(set, hashes) ||
      !set_replica || !progress || !progress->update_ended_at.empty()) {
    return false;
  }
  return std::any_of(progress->currently_updating.begin(), progress->currently_updating.end(),
                     [&](const PodCliqueSetUpdateProgress::Replica& one) {
                       return one.replica_index == *set_replica && one.update_ended_at.empty();
                     });
}

}  // namespace hearth::grove
