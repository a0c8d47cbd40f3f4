#include "grove/plan/internal/conditions.h"

#include <algorithm>

#include "json/time.h"

namespace hearth::grove {

const api::Condition* FindCondition(const Conditions& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const api::Condition& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool HasStatus(const Conditions& conditions, std::string_view type, std::string_view status) {
  const api::Condition* condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status == status;
}

std::optional<WallTime> ChangedAt(const api::Condition& condition) {
  const Result<json::Time> time = json::Time::Parse(condition.last_transition_time);
  return time.ok() ? std::optional(time->at) : std::nullopt;
}

void SetCondition(Conditions& conditions, const controller::Condition& wanted, WallTime now) {
  auto found = std::find_if(conditions.begin(), conditions.end(),
                            [&](const api::Condition& one) { return one.type == wanted.type; });
  if (found == conditions.end()) {
    found = conditions.insert(conditions.end(), api::Condition{.type = wanted.type});
  }
  if (found->status != wanted.status || found->last_transition_time.empty()) {
    found->last_transition_time = json::Time{now}.ToString();
  }
  found->status = wanted.status;
  found->reason = wanted.reason;
  found->message = wanted.message;
  if (wanted.observed_generation > 0) {
    found->observed_generation = wanted.observed_generation;
  }
}

void RemoveCondition(Conditions& conditions, std::string_view type) {
  std::erase_if(conditions, [&](const api::Condition& one) { return one.type == type; });
}

}  // namespace hearth::grove
