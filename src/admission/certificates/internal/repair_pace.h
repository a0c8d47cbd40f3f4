#pragma once

#include <deque>
#include <map>
#include <string>

#include "base/clock.h"

namespace hearth::admission::certificates::internal {

// Bounds how often one object is written: somebody who puts something else there each time would
// have us write without end. Not thread-safe.
class RepairPace {
 public:
  static constexpr size_t kMost = 6;  // writes of one object
  static constexpr Duration kPeriod = std::chrono::minutes(1);

  // How long it is to be left alone; zero: not at all.
  Duration WaitFor(const std::string& object, SteadyTime now) {
    std::deque<SteadyTime>& times = writes_[object];
    while (!times.empty() && now - times.front() >= kPeriod) {
      times.pop_front();
    }
    return times.size() < kMost ? Duration::zero() : times.front() + kPeriod - now;
  }
  // It was written. True when it is to be left alone from now on.
  bool Wrote(const std::string& object, SteadyTime now) {
    writes_[object].push_back(now);
    return writes_[object].size() >= kMost;
  }

 private:
  std::map<std::string, std::deque<SteadyTime>> writes_;
};

}  // namespace hearth::admission::certificates::internal
