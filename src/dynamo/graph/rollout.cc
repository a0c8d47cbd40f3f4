#include "dynamo/graph/rollout.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace hearth::dynamo {
namespace {

constexpr int32_t kQuarter = 25;

std::optional<int32_t> Digits(std::string_view text) {
  if (text.empty() || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return std::atoi(std::string(text).c_str());
}

// "2", or "25%" of the replicas.
int32_t Share(std::string_view said, int32_t replicas, bool up) {
  int32_t percent = kQuarter;
  if (const auto number = Digits(said)) {
    return *number;
  }
  if (said.ends_with('%')) {
    percent = Digits(said.substr(0, said.size() - 1)).value_or(kQuarter);
  }
  const int64_t scaled = int64_t{replicas} * percent;
  return static_cast<int32_t>((scaled + (up ? 99 : 0)) / 100);
}

}  // namespace

RolloutLimits LimitsFor(std::string_view max_surge, std::string_view max_unavailable,
                        int32_t replicas) {
  RolloutLimits limits{.surge = Share(max_surge, replicas, true),
                       .unavailable = Share(max_unavailable, replicas, false)};
  if (limits.surge == 0 && limits.unavailable == 0) {
    limits.unavailable = 1;
  }
  return limits;
}

RolloutStep PlanRollout(const ComponentRollout& rollout) {
  RolloutStep step;
  int32_t old_replicas = 0;
  int32_t old_available = 0;
  for (const RunningWorkers& old : rollout.old) {
    old_replicas += old.replicas;
    old_available += std::min(old.available, old.replicas);
  }
  if (rollout.held) {
    return step;  // the old ones serve on
  }
  const int32_t room = rollout.wanted + rollout.limits.surge - old_replicas;
  const int32_t so_far = std::min(rollout.now.replicas, rollout.wanted);
  step.replicas = std::clamp(room, so_far, rollout.wanted);

  // Those that do not serve go first, then as many as the new ones stand in for.
  const int32_t least = rollout.wanted - rollout.limits.unavailable;
  const int32_t serving = std::min(rollout.now.available, rollout.wanted) + old_available;
  int32_t may_go = std::max(0, serving - least) + (old_replicas - old_available);
  for (const RunningWorkers& old : rollout.old) {
    const int32_t gone = std::min(may_go, old.replicas);
    may_go -= gone;
    if (gone > 0) {
      step.scale_old[old.deployment] = old.replicas - gone;
    }
  }
  const bool all_new =
      rollout.now.replicas == rollout.wanted && rollout.now.available >= rollout.wanted;
  if (all_new) {
    step.scale_old.clear();
    for (const RunningWorkers& old : rollout.old) {
      step.remove.push_back(old.deployment);
    }
  }
  step.complete = all_new && rollout.old.empty();
  return step;
}

}  // namespace hearth::dynamo
