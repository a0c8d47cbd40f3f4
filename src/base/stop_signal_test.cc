#include "base/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using std::chrono::minutes;

bool Stopped(const StopSignal& signal) {
  return !SleepFor(RealClock(), minutes(1), signal.token());
}

TEST(StopSignal, EitherSignalRequestsAStop) {
  for (int number : {SIGTERM, SIGINT}) {
    const StopSignal signal;
    EXPECT_FALSE(signal.token().stop_requested());
    ASSERT_EQ(::kill(::getpid(), number), 0);
    EXPECT_TRUE(Stopped(signal));
  }
}

TEST(StopSignal, StopCanBeRequestedByHand) {
  StopSignal signal;
  signal.RequestStop();
  EXPECT_TRUE(signal.token().stop_requested());
}

TEST(StopSignal, GivesTheOldMaskBack) {
  sigset_t mask;
  {
    const StopSignal signal;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
    EXPECT_EQ(sigismember(&mask, SIGINT), 1);
  }
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

TEST(StopSignalDeathTest, SecondSignalEndsTheProcessAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const StopSignal signal;
        static_cast<void>(signal.token());
        ::kill(::getpid(), SIGTERM);
        static_cast<void>(Stopped(signal));
        ::kill(::getpid(), SIGINT);
        ::pause();
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

// A program that hangs before it can stop in order, here on a pipe that nobody writes to.
TEST(StopSignalDeathTest, SignalEndsAProcessThatDoesNotListenYet) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TempDirectory folder;
  const std::string pipe = folder / "kubeconfig";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EXIT(
      {
        const StopSignal signal;
        ::kill(::getpid(), SIGTERM);
        static_cast<void>(RealFileSystem().Read(pipe, 100));
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace hearth
