#include "controller/internal/event_series.h"

#include <algorithm>
#include <utility>

namespace hearth::controller::internal {
namespace {

// Subjects and series remembered at most; what is beyond only loses its counting together.
constexpr size_t kMostRemembered = 4096;

std::string SubjectText(const EventSubject& about) {
  return about.type.ToString() + '\n' + about.key.ToString() + '\n' + about.uid;
}

}  // namespace

std::string EventRecord::Likeness() const {
  const char kind = type == EventType::kWarning ? 'W' : 'N';
  return SubjectText(about) + '\n' + kind + reason + '\n' + action + '\n' + note;
}

std::string EventRecord::name_space() const {
  return about.key.name_space.empty() ? "default" : about.key.name_space;
}

EventSeries::Verdict EventSeries::Observe(EventRecord& record, SteadyTime now) {
  std::string likeness = record.Likeness();
  const auto found = by_likeness_.find(likeness);
  if (found != by_likeness_.end()) {
    return Count(found->second, record, now);
  }
  if (!Admit(record.about, now)) {
    return Verdict::kFiltered;
  }
  if (entries_.size() >= kMostRemembered) {
    Erase(entries_.begin());
  }
  entries_.push_back({std::move(likeness), record, now, now});
  by_likeness_.emplace(entries_.back().likeness, std::prev(entries_.end()));
  return Verdict::kCreate;
}

// The second of a kind is told at once, so that people see a series begin; the others wait.
EventSeries::Verdict EventSeries::Count(Entries::iterator entry, EventRecord& record,
                                        SteadyTime now) {
  ++entry->record.count;
  entry->record.last_time = record.time;
  entry->seen = now;
  entries_.splice(entries_.end(), entries_, entry);
  if (entry->record.count > 2 && now < TimeAfter(entry->written, options_.series_refresh)) {
    return Verdict::kCounted;
  }
  record = Written(*entry, now);
  return Verdict::kUpdate;
}

EventRecord EventSeries::Written(Entry& entry, SteadyTime now) {
  entry.written = now;
  entry.written_count = entry.record.count;
  return entry.record;
}

std::optional<EventRecord> EventSeries::TakeEnded(SteadyTime now) {
  while (NextEnd() <= now) {
    const auto ended = entries_.begin();
    std::optional<EventRecord> unwritten;
    if (ended->written_count < ended->record.count) {
      unwritten = ended->record;
    }
    Erase(ended);
    if (unwritten.has_value()) {
      return unwritten;
    }
  }
  return std::nullopt;
}

SteadyTime EventSeries::NextEnd() const {
  return entries_.empty() ? SteadyTime::max()
                          : TimeAfter(entries_.front().seen, options_.series_window);
}

std::optional<EventRecord> EventSeries::TakeUnwritten() {
  for (Entry& entry : entries_) {
    if (entry.written_count < entry.record.count) {
      return Written(entry, entry.seen);
    }
  }
  return std::nullopt;
}

void EventSeries::Forget(const EventRecord& record) {
  const auto found = by_likeness_.find(record.Likeness());
  if (found != by_likeness_.end() && found->second->record.name == record.name) {
    Erase(found->second);
  }
}

bool EventSeries::Admit(const EventSubject& about, SteadyTime now) {
  if (buckets_.size() >= kMostRemembered) {
    DropFullBuckets(now);
  }
  Bucket full{static_cast<double>(options_.burst), now};
  Bucket& bucket = buckets_.try_emplace(SubjectText(about), full).first->second;
  Refill(bucket, now);
  if (bucket.tokens < 1) {
    return false;
  }
  bucket.tokens -= 1;
  return true;
}

void EventSeries::Refill(Bucket& bucket, SteadyTime now) const {
  const double gained = static_cast<double>((now - bucket.filled).count()) /
                        static_cast<double>(options_.refill.count());
  bucket.tokens = std::min(bucket.tokens + gained, static_cast<double>(options_.burst));
  bucket.filled = now;
}

void EventSeries::DropFullBuckets(SteadyTime now) {
  for (auto at = buckets_.begin(); at != buckets_.end();) {
    Refill(at->second, now);
    at = at->second.tokens >= options_.burst ? buckets_.erase(at) : std::next(at);
  }
  if (buckets_.size() >= kMostRemembered) {
    buckets_.erase(buckets_.begin());
  }
}

void EventSeries::Erase(Entries::iterator entry) {
  by_likeness_.erase(entry->likeness);
  entries_.erase(entry);
}

}  // namespace hearth::controller::internal
