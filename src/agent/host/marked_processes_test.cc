#include "agent/host/marked_processes.h"

#include <gtest/gtest.h>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(1)); }

TEST(MarkedProcesses, EndWithAllThatTheyHaveStarted) {
  const ProcessMark mark{"HEARTH_TEST_MARK", "1f"};
  // Its child is on its own, and in no group of its.
  auto started = ChildProcess::Start(
      {.argv = {"sh", "-c", "setsid sleep 1000 & exec setsid --wait sleep 1000"}, .env = {mark}});
  ASSERT_OK(started.status());
  auto other = ChildProcess::Start({.argv = {"sleep", "1000"}, .env = {{mark.first, "1f2"}}});
  ASSERT_OK(other.status());
  ASSERT_OK(EndMarked(mark, Enough()));
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, started->Wait(Enough()));
  EXPECT_FALSE(outcome.ok());
  EXPECT_TRUE(other->Running()) << "of another mark";
  // None is left, so nothing is waited for.
  EXPECT_OK(EndMarked(mark, WaitLimit::For(RealClock(), Duration(0))));
}

}  // namespace
}  // namespace hearth::agent
