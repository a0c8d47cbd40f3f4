#include "base/testing/manual_clock.h"

#include <algorithm>

namespace hearth {

// Starts away from zero, so that "long ago" can be told from "never".
ManualClock::ManualClock(WallTime start) : now_(std::chrono::hours(1)), wall_(start) {}

SteadyTime ManualClock::Now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

WallTime ManualClock::WallNow() const {
  std::lock_guard lock(mutex_);
  return wall_;
}

void ManualClock::WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& cv,
                            SteadyTime until) {
  Waiter waiter{lock.mutex(), &cv, until};
  if (!Register(waiter)) {
    return;
  }
  cv.wait(lock);
  // Without the caller's lock: Advance may be about to take it, and this waiter must stay until
  // Advance is done with it.
  lock.unlock();
  Unregister(waiter);
  lock.lock();
}

bool ManualClock::Register(Waiter& waiter) {
  std::lock_guard lock(mutex_);
  if (waiter.until <= now_) {
    return false;
  }
  waiters_.push_back(&waiter);
  changed_.notify_all();
  return true;
}

void ManualClock::Unregister(Waiter& waiter) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiter.wakers == 0; });
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
}

void ManualClock::Advance(Duration by) {
  const std::vector<Waiter*> due = MoveHands(by);
  for (Waiter* waiter : due) {
    // Its lock is free only once it sleeps, so the wake cannot come too early.
    std::lock_guard lock(*waiter->mutex);
    waiter->cv->notify_all();
  }
  std::lock_guard lock(mutex_);
  for (Waiter* waiter : due) {
    --waiter->wakers;
  }
  changed_.notify_all();
}

std::vector<ManualClock::Waiter*> ManualClock::MoveHands(Duration by) {
  std::lock_guard lock(mutex_);
  now_ += by;
  wall_ += by;
  std::vector<Waiter*> due;
  for (Waiter* waiter : waiters_) {
    if (waiter->until <= now_) {
      ++waiter->wakers;
      due.push_back(waiter);
    }
  }
  return due;
}

void ManualClock::AwaitWaiters(int count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return std::count_if(waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) {
             return waiter->until > now_ && waiter->until != SteadyTime::max();
           }) >= count;
  });
}

}  // namespace hearth
