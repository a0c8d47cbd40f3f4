#include "agent/container/pinned_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

Result<ChildProcess> Sleeper() { return ChildProcess::Start({.argv = {"sleep", "1000"}}); }

// Tells one pid after the other, the last for ever.
class Runtime : public ContainerRuntime {
 public:
  explicit Runtime(std::vector<int> pids) : pids_(std::move(pids)) {}
  size_t asked() const { return asked_; }
  Result<std::string> Version(const WaitLimit&) override { return std::string("test 1"); }
  Result<Container> Find(std::string_view id, const WaitLimit&) override {
    Container container;
    container.id = id;
    container.pid = pids_[std::min(asked_++, pids_.size() - 1)];
    return container;
  }

 private:
  std::vector<int> pids_;
  size_t asked_ = 0;
};

// Starts the process that it tells while it is asked, each time another one.
class RestartingRuntime : public ContainerRuntime {
 public:
  Result<std::string> Version(const WaitLimit&) override { return std::string("test 1"); }
  Result<Container> Find(std::string_view id, const WaitLimit&) override {
    ASSIGN_OR_RETURN(ChildProcess started, Sleeper());
    Container container;
    container.id = id;
    container.pid = started.pid();
    started_.push_back(std::move(started));
    return container;
  }

 private:
  std::vector<ChildProcess> started_;
};

TEST(PinnedProcess, IsKilledAndSeenToEnd) {
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Sleeper());
  Runtime runtime({child.pid()});
  ASSERT_OK_AND_ASSIGN(const auto pinned, PinnedProcess::Of(runtime, "c", WaitLimit::Forever()));
  EXPECT_TRUE(pinned.Running());
  EXPECT_CODE(Code::kDeadlineExceeded, pinned.AwaitEnd(WaitLimit::For(RealClock(), Duration(0))));
  EXPECT_OK(pinned.Kill());
  EXPECT_OK(pinned.AwaitEnd(WaitLimit::Forever()));
  EXPECT_FALSE(pinned.Running());
  child.Stop(Duration(0));
  EXPECT_OK(pinned.Kill());
}

TEST(PinnedProcess, OneThatMayHaveBegunMeanwhileIsAskedForAgain) {
  RestartingRuntime runtime;
  EXPECT_CODE(Code::kUnavailable, PinnedProcess::Of(runtime, "c", WaitLimit::Forever()));
}

// Asking may cost the start of a program.
TEST(PinnedProcess, OneThatWasThereBeforeIsAskedForOnce) {
  Runtime runtime({::getppid()});  // older than this test
  ASSERT_OK(PinnedProcess::Of(runtime, "c", WaitLimit::Forever()).status());
  EXPECT_EQ(runtime.asked(), 1U);
}

TEST(PinnedProcess, OneThatIsGoneIsNotTaken) {
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Sleeper());
  Runtime runtime({child.pid()});
  child.Stop(Duration(0));
  EXPECT_CODE(Code::kUnavailable, PinnedProcess::Of(runtime, "c", WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::agent
