#include "grove/plan/replica_failure.h"

#include <fmt/format.h>

#include <string_view>

#include "api/grove/constants.h"
#include "grove/plan/internal/conditions.h"
#include "kube/model/api_status.h"

namespace hearth::grove {
namespace {

constexpr std::string_view kNameConflict = "NameConflict";  // as controller/child.h calls it

// The API server has reasons for the kind of a failure only; who is behind it, its words tell.
std::string_view ReasonOf(const Status& failure, std::string_view otherwise) {
  const auto says = [&](std::string_view words) {
    return failure.message().find(words) != std::string_view::npos;
  };
  if (says("exceeded quota")) {
    return "QuotaExceeded";
  }
  if (says("failed calling webhook")) {
    return "WebhookUnavailable";
  }
  if (says("denied the request") || says("denied request")) {
    return "DeniedByAdmission";
  }
  if (failure.reason() == kube::reason::kForbidden) {
    return "Forbidden";
  }
  if (failure.reason() == kNameConflict) {
    return kNameConflict;
  }
  return failure.reason() == kube::reason::kInvalid ? "Invalid" : otherwise;
}

}  // namespace

controller::Condition ReplicaFailure(const Status& failure, std::string_view what,
                                     int64_t generation, std::string_view otherwise) {
  return {std::string(api::grove::kReplicaFailure), "True",
          std::string(ReasonOf(failure, otherwise)), fmt::format("{}: {}", what, failure.message()),
          generation};
}

controller::Condition ReplicaFailure(const Status& failure, size_t pods, int64_t generation) {
  return ReplicaFailure(failure, fmt::format("{} pods could not be made", pods), generation);
}

bool HasReplicaFailure(const CliqueFacts& clique) {
  const auto* failure = FindCondition(clique.status.conditions, api::grove::kReplicaFailure);
  return failure != nullptr && failure->reason != kIndexHeld;
}

}  // namespace hearth::grove
