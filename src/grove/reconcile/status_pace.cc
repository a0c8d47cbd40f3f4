#include "grove/reconcile/status_pace.h"

#include <algorithm>

#include "api/table/struct_table.h"

namespace hearth::grove {
namespace {

using api::grove::PodCliqueSetStatus;

json::Value WithoutCounts(PodCliqueSetStatus status) {
  status.available_replicas = 0;
  status.updated_replicas = 0;
  status.resource_claims.reset();
  if (status.update_progress) {
    auto& progress = *status.update_progress;
    progress.updated_cliques = progress.total_cliques = 0;
    progress.updated_scaling_groups = progress.total_scaling_groups = 0;
  }
  return api::Encoded(status);
}

bool HasArrived(const PodCliqueSetStatus& status) {
  return status.available_replicas == status.replicas && status.updated_replicas == status.replicas;
}

}  // namespace

bool IsOnItsWay(const PodCliqueSetStatus& there, const PodCliqueSetStatus& wanted) {
  return !HasArrived(wanted) && WithoutCounts(there) == WithoutCounts(wanted);
}

std::optional<Duration> StatusPace::WaitFor(const std::string& uid, const PodCliqueSetStatus& there,
                                            const PodCliqueSetStatus& wanted, SteadyTime now) {
  const auto last = last_.Lock();
  const auto found = last->find(uid);
  if (found == last->end() || !IsOnItsWay(there, wanted)) {
    return std::nullopt;
  }
  const Duration left = found->second.at + found->second.pause - now;
  return left > Duration::zero() ? std::optional(left) : std::nullopt;
}

void StatusPace::Wrote(const std::string& uid, const PodCliqueSetStatus& there,
                       const PodCliqueSetStatus& written, SteadyTime now) {
  const auto last = last_.Lock();
  if (last->size() >= kMost) {
    last->clear();
  }
  const auto found = last->find(uid);
  const bool goes_on = found != last->end() && IsOnItsWay(there, written) &&
                       now - found->second.at < 2 * found->second.pause;
  (*last)[uid] = {now, goes_on ? std::min(2 * found->second.pause, kLongest) : kFirst};
}

}  // namespace hearth::grove
