#include "agent/host/marked_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

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
  // None is left, so nothing is waited for; but a program that somebody else just starts cannot be
  // told from one.
  const WaitLimit enough = Enough();
  Status again;
  do {
    again = EndMarked(mark, WaitLimit::For(RealClock(), Duration(0)));
  } while (again.message().find("cannot be told yet") != std::string_view::npos &&
           !enough.Expired(RealClock()));
  EXPECT_OK(again);
}

TEST(MarkedProcesses, ThatIgnoreSignalsAndAreStoppedEnd) {
  const ProcessMark mark{"HEARTH_TEST_MARK", "2f"};
  auto stopped = ChildProcess::Start(
      {.argv = {"sh", "-c", "trap '' HUP INT TERM CONT; kill -STOP $$; sleep 1000"},
       .env = {mark}});
  ASSERT_OK(stopped.status());
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(stopped->pid()), &info, WSTOPPED | WNOWAIT), 0);
  ASSERT_OK(EndMarked(mark, Enough()));
  EXPECT_FALSE(stopped->Running());
}

// While it starts a program a process has no environment for a moment. This one starts one after
// the other, and is not missed.
TEST(MarkedProcesses, ThatStartProgramsEnd) {
  const TempDirectory directory;
  const std::string script = directory / "again";
  ASSERT_OK(RealFileSystem().Write(script, "exec sh \"$0\"\n", 0600));
  for (int i = 0; i < 50; ++i) {
    const ProcessMark mark{"HEARTH_TEST_MARK", "3f" + std::to_string(i)};
    auto starts = ChildProcess::Start({.argv = {"sh", script}, .env = {mark}});
    ASSERT_OK(starts.status());
    ASSERT_OK(EndMarked(mark, Enough()));
    EXPECT_FALSE(starts->Running()) << i;
  }
}

}  // namespace
}  // namespace hearth::agent
