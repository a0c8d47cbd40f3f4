#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace hearth::net {

// The callbacks a loop owes, by time. Thread-safe. Callbacks run and die outside its lock.
class TimerTable {
 public:
  using Key = std::pair<SteadyTime, uint64_t>;
  using Work = std::function<void()>;

  // Drops `work` once closed.
  Key Add(SteadyTime when, Work work);
  void Remove(const Key& key);
  std::optional<SteadyTime> Earliest() const;
  // The next one that is due, taken out; null when there is none.
  Work TakeDue(SteadyTime now);
  void Close();

 private:
  mutable std::mutex mutex_;
  std::map<Key, Work> timers_;
  uint64_t next_id_ = 0;
  bool closed_ = false;
};

}  // namespace hearth::net
