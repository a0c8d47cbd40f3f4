#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace hearth {

// Wakes everybody who waits on `cv` under `mutex` when a stop is requested. Make it before the lock
// is taken, so that it goes after the lock is given up: a stop that arrives takes the lock itself.
class StopWaker {
 public:
  StopWaker(const std::stop_token& stop, std::mutex& mutex, std::condition_variable& cv)
      : callback_(stop, Wake{&mutex, &cv}) {}

 private:
  struct Wake {
    std::mutex* mutex;
    std::condition_variable* cv;
    // Under the lock, so that it cannot fall between a waiter's last look and its sleep.
    void operator()() const {
      std::lock_guard lock(*mutex);
      cv->notify_all();
    }
  };
  std::stop_callback<Wake> callback_;
};

}  // namespace hearth
