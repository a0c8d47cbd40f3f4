#include "gms/server/internal/device_worker.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/testing/no_threads.h"

namespace hearth::gms::server {
namespace {

class DeviceWorkerTest : public testing::Test {
 protected:
  // Where the job ran, once what it returned has run on the loop.
  std::thread::id RunOne() {
    std::optional<std::thread::id> ran;
    bool answered = false;
    worker_.Run([&] {
      ran = std::this_thread::get_id();
      return [&] { answered = true; };
    });
    EXPECT_FALSE(answered) << "not from within the call";
    while (!answered) {
      loop_.Turn(std::chrono::hours(1));
    }
    return *ran;
  }

  EpollLoop loop_;
  DeviceWorker worker_{loop_};
};

TEST_F(DeviceWorkerTest, JobsRunOnAThreadOfTheirOwn) {
  EXPECT_NE(RunOne(), std::this_thread::get_id());
}

TEST_F(DeviceWorkerTest, WithoutAThreadJobsRunOnTheLoopAndTheNextOneAsksAgain) {
  {
    const NoThreads none;
    EXPECT_EQ(RunOne(), std::this_thread::get_id());
    EXPECT_EQ(RunOne(), std::this_thread::get_id());
  }
  EXPECT_NE(RunOne(), std::this_thread::get_id());
}

}  // namespace
}  // namespace hearth::gms::server
