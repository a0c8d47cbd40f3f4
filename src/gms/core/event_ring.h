#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

#include "base/clock.h"

namespace hearth::gms {

// What happened in a domain. Wire names are those of upstream (rw_connected, ...); the last three
// are ours.
enum class EventKind : uint8_t {
  kRwConnected,
  kCommitted,
  kLayoutCommitted,     // count: sealed allocations
  kRwAborted,           // a writer is gone with what it built; kAllocationsCleared follows
  kRwDisconnected,      // a writer is gone, its sealed layout stays; count: its allocations
  kAllocationsCleared,  // a generation's memory is given back; count: how many
  kAllocationOom,       // count: allocations there are
  kSuperseded,          // a newer generation took its place; its readers keep it; count: its own
  kFenced,
  kUnfenced,
};
std::string_view WireName(EventKind kind);

struct Event {
  uint64_t sequence = 0;  // from 1, without gaps
  EventKind kind = EventKind::kRwConnected;
  uint64_t allocation_count = 0;
  uint64_t generation = 0;
  WallTime at;  // the epoch when the ring has no clock
};

// The last 256 events of a domain, and whoever wants to hear of new ones. Not thread-safe.
class EventRing {
 public:
  static constexpr size_t kKept = 256;

  void Add(EventKind kind, uint64_t allocation_count = 0, uint64_t generation = 0);
  const std::deque<Event>& events() const { return events_; }
  uint64_t last_sequence() const { return next_ - 1; }
  // Called with each new event, within Add; must not call back.
  void SetListener(std::function<void(const Event&)> listener) { listener_ = std::move(listener); }
  // Stamps events from now on. Must outlive the ring.
  void SetClock(const Clock& clock) { clock_ = &clock; }

 private:
  std::deque<Event> events_;
  uint64_t next_ = 1;
  std::function<void(const Event&)> listener_;
  const Clock* clock_ = nullptr;
};

}  // namespace hearth::gms
