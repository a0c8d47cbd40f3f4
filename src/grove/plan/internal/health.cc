#include "grove/plan/internal/health.h"

#include <algorithm>

#include "api/grove/constants.h"
#include "grove/plan/internal/conditions.h"

namespace hearth::grove {
namespace {

constexpr Duration kFirstConditions = std::chrono::seconds(5);

bool ChangedLater(const Identity& id, const api::Condition& condition) {
  const std::optional<WallTime> changed = ChangedAt(condition);
  return changed && id.created && *changed > *id.created + kFirstConditions;
}

bool IsTrue(const Conditions& conditions, std::string_view type) {
  return HasStatus(conditions, type, "True");
}

}  // namespace

int32_t Enough(const CliqueFacts& clique) {
  return std::min(clique.min_available, clique.replicas);
}

int32_t Enough(const GroupFacts& group) { return std::min(group.min_available, group.replicas); }

bool IsAvailable(const CliqueFacts& clique) {
  return !clique.id.deleting &&
         (clique.replicas == 0 || clique.status.ready_replicas >= clique.min_available);
}

bool IsAvailable(const GroupFacts& group) {
  return !group.id.deleting &&
         (group.replicas == 0 || group.status.available_replicas >= group.min_available);
}

bool IsBreached(const CliqueFacts& clique) {
  return IsTrue(clique.status.conditions, api::grove::kMinAvailableBreached);
}

bool IsBreached(const GroupFacts& group) {
  return IsTrue(group.status.conditions, api::grove::kMinAvailableBreached);
}

std::optional<WallTime> BrokenSince(const CliqueFacts& clique) {
  const Conditions& conditions = clique.status.conditions;
  if (clique.id.deleting || !IsBreached(clique)) {
    return std::nullopt;
  }
  const api::Condition* scheduled = FindCondition(conditions, api::grove::kPodCliqueScheduled);
  const bool ran =
      scheduled != nullptr && (scheduled->status == "True" || ChangedLater(clique.id, *scheduled));
  return ran ? ChangedAt(*FindCondition(conditions, api::grove::kMinAvailableBreached))
             : std::nullopt;
}

std::optional<WallTime> BrokenSince(const GroupFacts& group) {
  const Conditions& conditions = group.status.conditions;
  if (group.id.deleting || !IsBreached(group)) {
    return std::nullopt;
  }
  const api::Condition* breach = FindCondition(conditions, api::grove::kMinAvailableBreached);
  return ChangedLater(group.id, *breach) ? ChangedAt(*breach) : std::nullopt;
}

}  // namespace hearth::grove
