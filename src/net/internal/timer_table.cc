#include "net/internal/timer_table.h"

namespace hearth::net {

TimerTable::Key TimerTable::Add(SteadyTime when, Work work) {
  std::lock_guard lock(mutex_);
  const Key key(when, next_id_++);
  if (!closed_) {
    timers_.emplace(key, std::move(work));
  }
  return key;
}

void TimerTable::Remove(const Key& key) {
  std::map<Key, Work>::node_type removed;
  std::lock_guard lock(mutex_);
  removed = timers_.extract(key);
}

std::optional<SteadyTime> TimerTable::Earliest() const {
  std::lock_guard lock(mutex_);
  if (timers_.empty()) {
    return std::nullopt;
  }
  return timers_.begin()->first.first;
}

TimerTable::Work TimerTable::TakeDue(SteadyTime now) {
  std::lock_guard lock(mutex_);
  if (timers_.empty() || timers_.begin()->first.first > now) {
    return nullptr;
  }
  return std::move(timers_.extract(timers_.begin()).mapped());
}

void TimerTable::Close() {
  std::map<Key, Work> dropped;
  std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(timers_);
}

}  // namespace hearth::net
