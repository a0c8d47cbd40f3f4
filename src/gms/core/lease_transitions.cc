#include "gms/core/lease_transitions.h"

#include "base/check.h"

namespace hearth::gms {
namespace {

using Transitions = std::array<std::array<std::optional<LeaseState>, kLeaseEvents>, kLeaseStates>;

constexpr Transitions IndexTransitions() {
  Transitions index;
  for (const LeaseTransition& row : kLeaseTransitions) {
    index[static_cast<size_t>(row.from)][static_cast<size_t>(row.event)] = row.to;
  }
  return index;
}
constexpr Transitions kIndex = IndexTransitions();

bool May(LeaseState state, LeaseEvent event) { return Next(state, event).has_value(); }

LeaseEvent Wanted(LeaseRequest request, LeaseState state) {
  switch (request) {
    case LeaseRequest::kRw:
      return LeaseEvent::kWriterIn;
    case LeaseRequest::kRo:
      return LeaseEvent::kReaderIn;
    case LeaseRequest::kRwOrRo:
      return May(state, LeaseEvent::kReaderIn) ? LeaseEvent::kReaderIn : LeaseEvent::kWriterIn;
    case LeaseRequest::kRwDataOrRw:
      return May(state, LeaseEvent::kAdopterIn) ? LeaseEvent::kAdopterIn : LeaseEvent::kWriterIn;
    case LeaseRequest::kRwShadow:
      return LeaseEvent::kShadowIn;
  }
  CHECK(false) << "request " << static_cast<int>(request);
  return LeaseEvent::kReaderIn;
}

}  // namespace

std::string_view NameOf(LeaseEvent event) {
  constexpr std::array<std::string_view, kLeaseEvents> kNames = {
      "writer-in", "adopter-in",      "shadow-in",  "reader-in",  "let-go",         "seal",
      "commit",    "commit-and-stay", "writer-out", "reader-out", "last-reader-out"};
  return kNames[static_cast<size_t>(event)];
}

const LeaseStateRow& RowOf(LeaseState state) {
  return kLeaseStateTable[static_cast<size_t>(state)];
}

std::optional<LeaseState> Next(LeaseState state, LeaseEvent event) {
  return kIndex[static_cast<size_t>(state)][static_cast<size_t>(event)];
}

std::optional<LeaseEvent> EntryOf(LeaseRequest request, LeaseState state) {
  const LeaseEvent wanted = Wanted(request, state);
  return May(state, wanted) ? std::optional(wanted) : std::nullopt;
}

Grant GrantOf(LeaseEvent entry) {
  switch (entry) {
    case LeaseEvent::kReaderIn:
      return Grant::kRo;
    case LeaseEvent::kAdopterIn:
      return Grant::kRwData;
    case LeaseEvent::kWriterIn:
    case LeaseEvent::kShadowIn:
      return Grant::kRw;
    default:
      break;
  }
  CHECK(false) << NameOf(entry) << " brings nobody in";
  return Grant::kRo;
}

}  // namespace hearth::gms
