#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/conditions.h"
#include "grove/plan/pod_plan.h"

namespace hearth::grove {

// An event that goes with a change of status.
struct StatusEvent {
  bool warning = false;
  std::string reason;
  std::string note;
};

// What a pass learned beside the world.
struct PassNotes {
  std::vector<api::grove::LastError> errors;    // of this pass; none: the former ones are cleared
  std::optional<controller::Condition> claims;  // ResourceClaimsReady; nothing: no such condition
  std::optional<api::grove::ResourceClaimCounts> claim_counts;
  std::optional<controller::Condition> refused;  // ReplicaFailure; nothing: no such condition
};

// The status of a PodClique after a plan was carried out. `world` is as before it.
struct CliqueStatus {
  api::grove::PodCliqueStatus status;
  std::vector<StatusEvent> events;
};
CliqueStatus MakeCliqueStatus(const CliqueWorld& world, const PodPlan& plan,
                              const PassNotes& notes);

}  // namespace hearth::grove
