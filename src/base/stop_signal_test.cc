#include "base/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/clock.h"

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
        ::kill(::getpid(), SIGTERM);
        static_cast<void>(Stopped(signal));
        ::kill(::getpid(), SIGINT);
        ::pause();
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

}  // namespace
}  // namespace hearth
