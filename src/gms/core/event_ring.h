#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

namespace hearth::gms {

// What happened in a domain. Wire names are those of upstream (rw_connected, ...); the last three
// are ours.
enum class EventKind : uint8_t {
  kRwConnected,
  kCommitted,
  kLayoutCommitted,
  kRwAborted,
  kRwDisconnected,
  kAllocationsCleared,
  kAllocationOom,
  kSuperseded,  // a newer generation is committed; older readers keep theirs
  kFenced,
  kUnfenced,
};
std::string_view WireName(EventKind kind);

struct Event {
  uint64_t sequence = 0;  // from 1, without gaps
  EventKind kind = EventKind::kRwConnected;
  uint64_t allocation_count = 0;
  uint64_t generation = 0;
};

// The last 256 events of a domain, and whoever wants to hear of new ones.
class EventRing {
 public:
  static constexpr size_t kKept = 256;

  void Add(EventKind kind, uint64_t allocation_count = 0, uint64_t generation = 0);
  const std::deque<Event>& events() const { return events_; }
  // Called with each new event, within Add; must not call back.
  void SetListener(std::function<void(const Event&)> listener) { listener_ = std::move(listener); }

 private:
  std::deque<Event> events_;
  uint64_t next_ = 1;
  std::function<void(const Event&)> listener_;
};

}  // namespace hearth::gms
