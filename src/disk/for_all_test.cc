#include "disk/for_all.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/testing/status_matchers.h"

namespace hearth::disk {
namespace {

TEST(ForAll, DoesItForEveryOne) {
  std::atomic<int> sum = 0;
  EXPECT_OK(ForAll(5, {}, [&](size_t i, const std::stop_token&) {
    sum += static_cast<int>(i);
    return Status();
  }));
  EXPECT_EQ(sum, 10);
}

TEST(ForAll, TheFirstFailureStopsTheOthers) {
  const Status status = ForAll(2, {}, [](size_t i, const std::stop_token& stop) -> Status {
    if (i == 0) {
      return InvalidError("zero");
    }
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return CancelledError("one");
  });
  EXPECT_EQ(status.message(), "zero");
}

}  // namespace
}  // namespace hearth::disk
