#include "base/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <thread>
#include <vector>

namespace hearth {
namespace {

class Total {
 public:
  void Add(int amount) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    AddLocked(amount);
    changed_.notify_all();
  }

  int AwaitAtLeast(int amount) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (value_ < amount) {
      changed_.wait(lock.native());
    }
    return value_;
  }

 private:
  void AddLocked(int amount) REQUIRES(mutex_) { value_ += amount; }

  Mutex mutex_;
  std::condition_variable changed_;
  int value_ GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, GuardsAndServesConditionVariables) {
  Total total;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&total] {
      for (int j = 0; j < 1000; ++j) {
        total.Add(1);
      }
    });
  }
  EXPECT_EQ(total.AwaitAtLeast(4000), 4000);
}

// The analysis is told to look away: whether the lock is free is what is asked.
bool FreeForOthers(Mutex& mutex) HEARTH_TSA(no_thread_safety_analysis) {
  bool free = false;
  std::jthread([&] {
    free = mutex.native().try_lock();
    if (free) {
      mutex.native().unlock();
    }
  }).join();
  return free;
}

TEST(Mutex, LocksByHand) {
  Mutex mutex;
  mutex.Lock();
  EXPECT_FALSE(FreeForOthers(mutex));
  mutex.Unlock();
  EXPECT_TRUE(FreeForOthers(mutex));
}

}  // namespace
}  // namespace hearth
