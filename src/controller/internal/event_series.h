#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seeded_hash.h"
#include "controller/event_recorder.h"

namespace hearth::controller::internal {

// One event as it was published, with what its series has counted since.
struct EventRecord {
  EventSubject about;
  EventType type = EventType::kNormal;
  std::string reason;
  std::string action;
  std::string note;
  std::string name;  // of the Event object
  WallTime time;     // of the first
  int64_t count = 1;
  WallTime last_time;

  // What makes events alike. With the note: an Event's note cannot be changed later, so another
  // text is another event.
  std::string Likeness() const;
  std::string name_space() const;  // where the Event object lives
};

// Decides which events are published and which only counted: the series and the filter of
// EventRecorder, without clock or requests. Not thread-safe.
class EventSeries {
 public:
  explicit EventSeries(const EventRecorder::Options& options) : options_(options) {}

  enum class Verdict {
    kCreate,    // a new Event
    kUpdate,    // the series of an existing one must be written
    kCounted,   // nothing to write now
    kFiltered,  // the subject has had too many
  };
  // Completes `record` from the series it belongs to. Series that have ended must have been taken
  // before.
  Verdict Observe(EventRecord& record, SteadyTime now);

  // A series whose count is not written, because it has ended by `now`; nothing when there is none.
  std::optional<EventRecord> TakeEnded(SteadyTime now);
  // When the next one ends; max() when there is none.
  SteadyTime NextEnd() const;
  // Like TakeEnded for one that goes on.
  std::optional<EventRecord> TakeUnwritten();
  // The next event like this is a new one.
  void Forget(const EventRecord& record);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string likeness;
    EventRecord record;
    SteadyTime seen;
    SteadyTime written;
    int64_t written_count = 1;
  };
  struct Bucket {
    double tokens;
    SteadyTime filled;
  };
  using Entries = std::list<Entry>;

  EventRecord Written(Entry& entry, SteadyTime now);
  Verdict Count(Entries::iterator entry, EventRecord& record, SteadyTime now);
  bool Admit(const EventSubject& about, SteadyTime now);
  void Refill(Bucket& bucket, SteadyTime now) const;
  void DropFullBuckets(SteadyTime now);
  void Erase(Entries::iterator entry);

  const EventRecorder::Options options_;
  Entries entries_;                                             // the one seen longest ago first
  SeededMap<std::string_view, Entries::iterator> by_likeness_;  // the text is the entry's
  SeededMap<std::string, Bucket> buckets_;  // by subject; a full one needs no place
};

}  // namespace hearth::controller::internal
