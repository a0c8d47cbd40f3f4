#include "agent/container/pinned_process.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

// Tells one pid after the other, the last for ever.
class Runtime : public ContainerRuntime {
 public:
  explicit Runtime(std::vector<int> pids) : pids_(std::move(pids)) {}
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

Result<ChildProcess> Sleeper() { return ChildProcess::Start({.argv = {"sleep", "1000"}}); }

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

TEST(PinnedProcess, OneThatWasStartedAgainMeanwhileIsNotTaken) {
  ASSERT_OK_AND_ASSIGN(ChildProcess first, Sleeper());
  ASSERT_OK_AND_ASSIGN(ChildProcess second, Sleeper());
  Runtime runtime({first.pid(), second.pid()});
  EXPECT_CODE(Code::kUnavailable, PinnedProcess::Of(runtime, "c", WaitLimit::Forever()));
}

TEST(PinnedProcess, OneThatIsGoneIsNotTaken) {
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Sleeper());
  Runtime runtime({child.pid()});
  child.Stop(Duration(0));
  EXPECT_CODE(Code::kUnavailable, PinnedProcess::Of(runtime, "c", WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::agent
