#include "gms/server/internal/first_messages.h"

#include <algorithm>

#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

GetRuntimeStateResponse RuntimeState(const Domain::Facts& facts) {
  return {.state = std::string(WireName(facts.state)),
          .has_rw_session = facts.has_writer,
          .ro_session_count = static_cast<int64_t>(facts.readers),
          .waiting_writers = static_cast<int64_t>(facts.waiting_writers),
          .committed = facts.committed,
          .is_ready = facts.ready,
          .allocation_count = static_cast<int64_t>(facts.allocations),
          .memory_layout_hash = facts.hash,
          .layout_committed = facts.layout_committed};
}

// The kinds that existing clients know; the others they get by subscribing.
bool IsHistory(EventKind kind) {
  return kind != EventKind::kSuperseded && kind != EventKind::kFenced &&
         kind != EventKind::kUnfenced;
}

GetEventHistoryResponse History(const EventRing& ring) {
  GetEventHistoryResponse response;
  for (const Event& event : ring.events()) {
    if (IsHistory(event.kind)) {
      response.events.push_back({.kind = std::string(WireName(event.kind)),
                                 .allocation_count = static_cast<int64_t>(event.allocation_count)});
    }
  }
  return response;
}

CheckpointStateResponse ToResponse(const CheckpointFence::State& state) {
  return {.state = state.ready ? "checkpoint_ready" : "serving", .token = state.token};
}

Status Prepare(Session& session, const Document& document) {
  ASSIGN_OR_RETURN(const auto request, document.As<PrepareCheckpointRequest>());
  UniqueFd owner = request.bound_to_peer ? session.OpenPeerProcess().pidfd : UniqueFd();
  if (request.bound_to_peer && !owner.valid()) {
    return MakeError(
        ErrorCode::kUnsupported,
        "the process that asks cannot be watched from here: ask without bound_to_peer");
  }
  constexpr int64_t kLongestMs = 1'000LL * 3600 * 24 * 365;
  const SteadyTime deadline =
      request.deadline_ms
          ? RealClock().Now() +
                std::chrono::milliseconds(std::clamp<int64_t>(*request.deadline_ms, 0, kLongestMs))
          : SteadyTime::max();
  // A process that we cannot number is watched by its descriptor all the same.
  const int pid = std::max(session.peer().pid, 1);
  ASSIGN_OR_RETURN(const auto state,
                   session.device().PrepareFence(deadline, std::move(owner), pid));
  session.Reply(ToResponse(state));
  return Status::Ok();
}

template <typename Request>
Status Resolve(Session& session, const Document& document) {
  ASSIGN_OR_RETURN(const auto request, document.As<Request>());
  CheckpointFence& fence = session.device().fence();
  constexpr bool kComplete = std::is_same_v<Request, CompleteRestoreRequest>;
  ASSIGN_OR_RETURN(const auto state,
                   kComplete ? fence.Complete(request.token) : fence.Abort(request.token));
  session.device().SettleFence();
  session.Reply(ToResponse(state));
  return Status::Ok();
}

}  // namespace

Status AnswerOnce(Session& session, const Document& document) {
  if (document.Is<GetRuntimeStateRequest>()) {
    session.Reply(RuntimeState(session.domain().Look()));
  } else if (document.Is<GetEventHistoryRequest>()) {
    session.Reply(History(session.domain().events()));
  } else if (document.Is<GetCheckpointStateRequest>()) {
    session.Reply(ToResponse(session.device().fence().state()));
  } else if (document.Is<PrepareCheckpointRequest>()) {
    return Prepare(session, document);
  } else if (document.Is<AbortCheckpointRequest>()) {
    return Resolve<AbortCheckpointRequest>(session, document);
  } else if (document.Is<CompleteRestoreRequest>()) {
    return Resolve<CompleteRestoreRequest>(session, document);
  } else {
    return MakeError(ErrorCode::kExpectedHandshake, "Expected HandshakeRequest");
  }
  return Status::Ok();
}

}  // namespace hearth::gms::server
