#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "controller/reconciler.h"
#include "grove/plan/replica_failure.h"
#include "grove/plan/stuck_status.h"
#include "grove/reconcile/ensure.h"
#include "grove/reconcile/outcome.h"

// Passes that cannot do what they should.
namespace hearth::grove {

// Ends the pass over an object that cannot be looked after, or cannot go, because of `failure`:
// its status says so, and it is tried again. `what` is for people: "its finalizer cannot be set".
template <typename Facts>
Result<controller::Outcome> EndStuck(controller::Pass& pass, const kube::ResourceType& type,
                                     const controller::CachedObject& cached, const Facts& facts,
                                     std::string_view what, const Status& failure,
                                     std::vector<api::grove::LastError> errors, WallTime now) {
  if (IsRace(failure)) {
    return failure;
  }
  PassNotes notes;
  notes.errors = std::move(errors);
  notes.refused = ReplicaFailure(failure, what, facts.id.generation,
                                 cached.deleting() ? "FailedDelete" : "FailedCreate");
  StampErrors(notes.errors, facts.status.last_errors, now);
  const auto told =
      pass.ApplyStatus(type, cached, api::Encoded(StuckStatus(facts, notes, now)), kFormerManagers);
  return EndPass(Worse(failure, told.status()), {});
}

// The same when a finalizer of ours cannot be set.
template <typename Facts>
Result<controller::Outcome> EndUnheld(controller::Pass& pass, const kube::ResourceType& type,
                                      const controller::CachedObject& cached, const Facts& facts,
                                      const Status& failure, WallTime now) {
  return EndStuck(pass, type, cached, facts, "its finalizer cannot be set", failure,
                  {ErrorOf(error_code::kFinalizer, failure)}, now);
}

// ReplicaFailure, when something was refused and there is none yet.
void NoteRefusal(const Sent& sent, int64_t generation, PassNotes& notes);

// What a deletion sends before our finalizer goes; how many of `others`, or the first failure, and
// all in `errors`. Nothing where children are to stay (kubectl delete --cascade=orphan). Claims are
// only a little faster gone this way than by garbage collection: one that cannot be deleted is told
// in an event and holds nobody.
Result<size_t> SendRemovals(controller::Pass& pass, const kube::ResourceType& type,
                            const controller::CachedObject& cached,
                            const std::vector<Removal>& claims, const std::vector<Removal>& others,
                            std::vector<api::grove::LastError>& errors);

}  // namespace hearth::grove
