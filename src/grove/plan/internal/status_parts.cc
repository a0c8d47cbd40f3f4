#include "grove/plan/internal/status_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "grove/model/labels.h"
#include "json/time.h"

namespace hearth::grove {

using api::grove::LastError;

std::string Stamp(WallTime now) { return json::Time{now}.ToString(); }

std::string PodSelector(std::string_view set, std::string_view key, std::string_view value) {
  std::string selector = fmt::format("{}={},{}={}", kManagedByLabel, kManagedBy, kPartOfLabel, set);
  if (!key.empty()) {
    selector += fmt::format(",{}={}", key, value);
  }
  return selector;
}

std::vector<LastError> KeepTimes(const std::vector<LastError>& former,
                                 std::vector<LastError> errors) {
  for (LastError& error : errors) {
    const auto known = std::find_if(former.begin(), former.end(), [&](const LastError& one) {
      return one.code == error.code && one.description == error.description;
    });
    if (known != former.end() && !known->observed_at.empty()) {
      error.observed_at = known->observed_at;
    }
  }
  return errors;
}

void TakeRefusal(const PassNotes& notes, WallTime now, Conditions& conditions) {
  if (notes.refused) {
    SetCondition(conditions, *notes.refused, now);
  } else {
    RemoveCondition(conditions, api::grove::kReplicaFailure);
  }
}

void TellIfAllLost(std::string_view what, int32_t desired, int32_t before, int32_t now,
                   std::vector<StatusEvent>& events) {
  if (desired > 0 && before > 0 && now == 0) {
    events.push_back(
        {.warning = true,
         .reason = "AllScheduledReplicasLost",
         .note = fmt::format("{} had {} scheduled replicas and has none any more", what, before)});
  }
}

}  // namespace hearth::grove
