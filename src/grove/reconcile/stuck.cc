#include "grove/reconcile/stuck.h"

#include <fmt/format.h>

namespace hearth::grove {

void NoteRefusal(const Sent& sent, int64_t generation, PassNotes& notes) {
  if (sent.refused > 0 && !notes.refused) {
    notes.refused = ReplicaFailure(
        sent.refusal, fmt::format("{} objects could not be written", sent.refused), generation);
  }
}

Status SendRemovals(controller::Pass& pass, const kube::ResourceType& type,
                    const controller::CachedObject& cached, const std::vector<Wish>& claims,
                    const std::vector<Wish>& others, std::vector<api::grove::LastError>& errors) {
  std::vector<api::grove::LastError> of_claims;
  const Sent sent = SendEach(claims, of_claims);
  if (sent.refused > 0) {
    pass.Event(type, cached, controller::EventType::kWarning, "ResourceClaimDeleteFailed",
               fmt::format("{} ResourceClaims are left to garbage collection: {}", sent.refused,
                           sent.refusal.message()));
  }
  return SendAll(others, errors);
}

}  // namespace hearth::grove
