#include "gms/core/event_ring.h"

namespace hearth::gms {

std::string_view WireName(EventKind kind) {
  switch (kind) {
    case EventKind::kRwConnected:
      return "rw_connected";
    case EventKind::kCommitted:
      return "committed";
    case EventKind::kLayoutCommitted:
      return "layout_committed";
    case EventKind::kRwAborted:
      return "rw_aborted";
    case EventKind::kRwDisconnected:
      return "rw_disconnected";
    case EventKind::kAllocationsCleared:
      return "allocations_cleared";
    case EventKind::kAllocationOom:
      return "allocation_oom";
    case EventKind::kSuperseded:
      return "superseded";
    case EventKind::kFenced:
      return "fenced";
    case EventKind::kUnfenced:
      return "unfenced";
  }
  return "unknown";
}

void EventRing::Add(EventKind kind, uint64_t allocation_count, uint64_t generation) {
  if (events_.size() == kKept) {
    events_.pop_front();
  }
  events_.push_back({next_++, kind, allocation_count, generation,
                     clock_ != nullptr ? clock_->WallNow() : WallTime()});
  if (listener_) {
    listener_(events_.back());
  }
}

}  // namespace hearth::gms
