#include "base/clock.h"

#include "base/stop_waker.h"

namespace hearth {
namespace {

class MachineClock : public Clock {
 public:
  SteadyTime Now() const override { return std::chrono::steady_clock::now(); }
  WallTime WallNow() const override { return std::chrono::system_clock::now(); }
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                 SteadyTime until) override {
    if (until == SteadyTime::max()) {
      cv.wait(lock);
    } else {
      cv.wait_until(lock, until);
    }
  }
};

}  // namespace

Clock& RealClock() {
  // Never destroyed: threads may still ask for the time while the process ends.
  static auto* clock = new MachineClock;
  return *clock;
}

SteadyTime TimeAfter(SteadyTime from, Duration duration) {
  if (duration > Duration::zero() && from > SteadyTime::max() - duration) {
    return SteadyTime::max();
  }
  return from + duration;
}

bool SleepFor(Clock& clock, Duration duration, const std::stop_token& stop) {
  const SteadyTime until = TimeAfter(clock.Now(), duration);
  std::mutex mutex;
  std::condition_variable cv;
  StopWaker waker(stop, mutex, cv);
  std::unique_lock lock(mutex);
  while (!stop.stop_requested() && clock.Now() < until) {
    clock.WaitUntil(lock, cv, until);
  }
  return !stop.stop_requested();
}

}  // namespace hearth
