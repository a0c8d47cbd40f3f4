#include "agent/host/end_processes.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(1)); }

Result<ChildProcess> Sleeper() { return ChildProcess::Start({.argv = {"sleep", "1000"}}); }

TEST(EndProcesses, ThatMatchHaveEndedWhenItReturns) {
  ASSERT_OK_AND_ASSIGN(ChildProcess one, Sleeper());
  ASSERT_OK_AND_ASSIGN(ChildProcess other, Sleeper());
  const auto match = [&](int pid) { return pid == one.pid() ? Match::kYes : Match::kNo; };
  ASSERT_OK(EndProcesses(ProcReader(), match, Enough()));
  EXPECT_FALSE(one.Running());
  EXPECT_TRUE(other.Running());
}

TEST(EndProcesses, ThatCannotBeToldYetAreLookedAtAgain) {
  ASSERT_OK_AND_ASSIGN(ChildProcess process, Sleeper());
  int looks = 0;
  const auto match = [&](int pid) {
    if (pid != process.pid()) {
      return Match::kNo;
    }
    return ++looks < 10 ? Match::kUnsure : Match::kYes;
  };
  ASSERT_OK(EndProcesses(ProcReader(), match, Enough()));
  EXPECT_FALSE(process.Running());
}

// A process that came into being where the list had been read already.
TEST(EndProcesses, ThatALookHasMissedAreFoundByTheNext) {
  ASSERT_OK_AND_ASSIGN(ChildProcess process, Sleeper());
  bool missed = false;
  const auto match = [&](int pid) {
    if (pid != process.pid() || !std::exchange(missed, true)) {
      return Match::kNo;
    }
    return Match::kYes;
  };
  ASSERT_OK(EndProcesses(ProcReader(), match, Enough()));
  EXPECT_FALSE(process.Running());
}

// Somebody else's, which hangs where nothing can be told of it.
TEST(EndProcesses, ThatCanNeverBeToldAreLeftAlone) {
  ASSERT_OK_AND_ASSIGN(ChildProcess process, Sleeper());
  const auto match = [&](int pid) { return pid == process.pid() ? Match::kUnsure : Match::kNo; };
  EXPECT_OK(EndProcesses(ProcReader(), match, Enough()));
  EXPECT_TRUE(process.Running());
  const auto soon = WaitLimit::For(RealClock(), std::chrono::milliseconds(10));
  EXPECT_CODE(Code::kDeadlineExceeded, EndProcesses(ProcReader(), match, soon));
}

TEST(EndProcesses, ThatHaveNotEndedInTimeAreTold) {
  ASSERT_OK_AND_ASSIGN(ChildProcess process, Sleeper());
  const auto match = [&](int pid) { return pid == process.pid() ? Match::kYes : Match::kNo; };
  const auto now = WaitLimit::For(RealClock(), Duration(0));
  EXPECT_CODE(Code::kDeadlineExceeded, EndProcesses(ProcReader(), match, now));
}

}  // namespace
}  // namespace hearth::agent
