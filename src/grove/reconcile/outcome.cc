#include "grove/reconcile/outcome.h"

#include <algorithm>

#include "json/time.h"
#include "kube/model/api_status.h"

namespace hearth::grove {

controller::Outcome NextLook(std::initializer_list<std::optional<Duration>> delays) {
  std::optional<Duration> soonest;
  for (const auto& delay : delays) {
    if (delay && (!soonest || *delay < *soonest)) {
      soonest = delay;
    }
  }
  return soonest ? controller::Outcome::After(std::max(*soonest, Duration::zero()))
                 : controller::Outcome::Done();
}

Result<controller::Outcome> EndPass(const Status& failure,
                                    std::initializer_list<std::optional<Duration>> delays) {
  if (failure.ok()) {
    return NextLook(delays);
  }
  if (failure.reason() != kube::reason::kInvalid) {
    return failure;
  }
  Duration soonest = kRefusedAgain;
  for (const auto& delay : delays) {
    soonest = std::min(soonest, delay.value_or(soonest));
  }
  return NextLook({soonest});
}

Status Worse(const Status& a, const Status& b) {
  const bool keep = !a.ok() && (b.ok() || a.reason() != kube::reason::kInvalid);
  return keep ? a : b;
}

controller::EventType EventTypeOf(const StatusEvent& event) {
  return event.warning ? controller::EventType::kWarning : controller::EventType::kNormal;
}

void StampErrors(std::vector<api::grove::LastError>& errors,
                 const std::vector<api::grove::LastError>& before, WallTime now) {
  for (api::grove::LastError& error : errors) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const auto& old) {
      return old.code == error.code && old.description == error.description;
    });
    error.observed_at = same == before.end() ? json::Time{now}.ToString() : same->observed_at;
  }
}

}  // namespace hearth::grove
