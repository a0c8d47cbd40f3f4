#include "grove/reconcile/stuck.h"

#include <fmt/format.h>

#include <algorithm>

namespace hearth::grove {
namespace {

// Whether garbage collection has let go of what this owner controls by our cache. It does that
// before it takes its finalizer away, and that may be the first that we see of the deletion. It
// lets go of all or, as the API server is asked about any of them, of none.
Result<bool> AreLetGo(controller::Pass& pass, std::string_view owner_uid,
                      const std::vector<Removal>& children) {
  for (const Removal& child : children) {
    const controller::CachedObject& cached = *child.object;
    if (!Identity::Of(cached).IsControlledBy(owner_uid)) {
      continue;
    }
    const auto live = pass.client().Get(*child.type, cached.key(), pass.limit());
    if (live.status().Is(Code::kNotFound)) {
      continue;
    }
    RETURN_IF_ERROR(live);
    if (live->meta().uid() == cached.uid()) {
      const auto owners = live->meta().owners();
      return std::none_of(owners.begin(), owners.end(),
                          [&](const auto& owner) { return owner.uid == owner_uid; });
    }
  }
  return false;
}

std::vector<Wish> WishesFor(controller::Pass& pass, const std::vector<Removal>& removals) {
  std::vector<Wish> wishes;
  wishes.reserve(removals.size());
  for (const Removal& removal : removals) {
    wishes.push_back(
        {removal.code, [&pass, &removal] { return Remove(pass, *removal.type, *removal.object); }});
  }
  return wishes;
}

}  // namespace

void NoteRefusal(const Sent& sent, int64_t generation, PassNotes& notes) {
  if (sent.refused > 0 && !notes.refused) {
    notes.refused = ReplicaFailure(
        sent.refusal, fmt::format("{} objects could not be written", sent.refused), generation);
  }
}

Result<size_t> SendRemovals(controller::Pass& pass, const kube::ResourceType& type,
                            const controller::CachedObject& cached,
                            const std::vector<Removal>& claims, const std::vector<Removal>& others,
                            std::vector<api::grove::LastError>& errors) {
  const Identity id = Identity::Of(cached);
  if (id.HasFinalizer(kOrphanFinalizer)) {
    return size_t{0};
  }
  for (const auto* children : {&others, &claims}) {
    const auto let_go = AreLetGo(pass, id.uid, *children);
    if (!let_go.ok()) {
      AddError(errors, children->front().code, let_go.status());
      return let_go.status();
    }
    if (*let_go) {
      return size_t{0};
    }
  }
  std::vector<api::grove::LastError> of_claims;
  const Sent sent = SendEach(WishesFor(pass, claims), of_claims);
  if (sent.refused > 0) {
    pass.Event(type, cached, controller::EventType::kWarning, "ResourceClaimDeleteFailed",
               fmt::format("{} ResourceClaims are left to garbage collection: {}", sent.refused,
                           sent.refusal.message()));
  }
  RETURN_IF_ERROR(SendAll(WishesFor(pass, others), errors));
  return others.size();
}

}  // namespace hearth::grove
