#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "api/grove/constants.h"
#include "base/clock.h"
#include "grove/plan/clique_status.h"
#include "grove/plan/internal/conditions.h"

// What the statuses of sets, groups and cliques have in common.
namespace hearth::grove {

std::string Stamp(WallTime now);

// "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=<set>", and one label more
// when it has a key.
std::string PodSelector(std::string_view set, std::string_view key = "",
                        std::string_view value = "");

// The errors of this pass; one that was there before keeps the time when it was first seen.
std::vector<api::grove::LastError> KeepTimes(const std::vector<api::grove::LastError>& former,
                                             std::vector<api::grove::LastError> errors);

// AllScheduledReplicasLost, when there were some and there should be.
void TellIfAllLost(std::string_view what, int32_t desired, int32_t before, int32_t now,
                   std::vector<StatusEvent>& events);

// ReplicaFailure as the pass found it.
void TakeRefusal(const PassNotes& notes, WallTime now, Conditions& conditions);

template <typename Status>
void TakeNotes(const PassNotes& notes, int64_t generation, WallTime now, Status& status) {
  if (notes.errors.empty()) {
    status.observed_generation = generation;
  }
  status.last_errors = KeepTimes(status.last_errors, notes.errors);
  status.resource_claims = notes.claim_counts;
  if (notes.claims) {
    SetCondition(status.conditions, *notes.claims, now);
  } else {
    RemoveCondition(status.conditions, api::grove::kResourceClaimsReady);
  }
  TakeRefusal(notes, now, status.conditions);
}

// Whether an update is going on.
template <typename Progress>
bool IsRunning(const std::optional<Progress>& progress) {
  return progress && progress->update_ended_at.empty();
}

}  // namespace hearth::grove
