#include "base/stop_waker.h"

#include <gtest/gtest.h>

#include <thread>

namespace hearth {
namespace {

TEST(StopWaker, WakesAWaiter) {
  std::mutex mutex;
  std::condition_variable cv;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  StopWaker waker(stop.get_token(), mutex, cv);
  std::unique_lock lock(mutex);
  // Would hang for ever if the wake could fall between the look and the sleep.
  while (!stop.stop_requested()) {
    cv.wait(lock);
  }
  EXPECT_TRUE(stop.stop_requested());
}

TEST(StopWaker, TakesATokenThatCannotStop) {
  std::mutex mutex;
  std::condition_variable cv;
  StopWaker waker({}, mutex, cv);
  EXPECT_TRUE(std::unique_lock(mutex).owns_lock());
}

}  // namespace
}  // namespace hearth
