#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace hearth {

using Duration = std::chrono::nanoseconds;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

// Where time comes from. Everything that waits or stamps takes a Clock, so that tests turn the
// hands themselves (base/testing/manual_clock.h). Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Monotonic; the only time that may decide anything.
  virtual SteadyTime Now() const = 0;
  // For stamps that people and other machines read.
  virtual WallTime WallNow() const = 0;
  // Waits on `cv` under `lock` until notified or until `until`. May wake for no reason: ask the
  // condition again.
  virtual void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                         SteadyTime until) = 0;
};

// The machine's clocks. Lives for ever.
Clock& RealClock();

// `from` plus `duration`, or SteadyTime::max() when that is past the end of time.
SteadyTime TimeAfter(SteadyTime from, Duration duration);

// False when stopped before the time was over.
bool SleepFor(Clock& clock, Duration duration, const std::stop_token& stop);

}  // namespace hearth
