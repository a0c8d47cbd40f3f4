#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

WaitLimit Enough() { return WaitLimit::For(RealClock(), minutes(1)); }

bool HasChildren() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

Result<ChildProcess> Start(std::vector<std::string> argv, std::string log = {}) {
  return ChildProcess::Start({.argv = std::move(argv), .log_path = std::move(log)});
}

// A FIFO that tells when a process is ready and when it is dead, without asking again and again.
class Pulse {
 public:
  Pulse() {
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    fd_.reset(::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(::fcntl(fd_.get(), F_SETFL, 0), 0);
  }
  std::string path() const { return directory_ / "fifo"; }
  // The next byte that a process wrote; 0 when all that could write are dead.
  char Next() const {
    char byte = 0;
    return ::read(fd_.get(), &byte, 1) == 1 ? byte : '\0';
  }

 private:
  TempDirectory directory_;
  UniqueFd fd_;
};

TEST(ChildProcess, RunsBesideUsAndWritesItsLog) {
  const TempDirectory directory;
  ASSERT_OK_AND_ASSIGN(ChildProcess child,
                       Start({"sh", "-c", "echo out; echo err >&2; exit 5"}, directory / "log"));
  EXPECT_GT(child.pid(), 0);
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, child.Wait(Enough()));
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(*RealFileSystem().Read(directory / "log", 100), "out\nerr\n");
  EXPECT_FALSE(child.Running());
  EXPECT_EQ(child.Wait(Enough())->exit_code, 5) << "may be asked again";
  EXPECT_FALSE(HasChildren());
}

TEST(ChildProcess, WaitGivesUpAndLeavesItRunning) {
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Start({"sleep", "3600"}));
  EXPECT_CODE(Code::kDeadlineExceeded, child.Wait(WaitLimit::For(RealClock(), milliseconds(1))));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, child.Wait({.stop = stop.get_token()}));
  EXPECT_TRUE(child.Running());
}

TEST(ChildProcess, GoesWithItsGroup) {
  const Pulse pulse;
  {
    ASSERT_OK_AND_ASSIGN(ChildProcess child,
                         Start({"sh", "-c", "sleep 3600 & sleep 3600", "sh"}, pulse.path()));
    EXPECT_TRUE(child.Running());
  }
  EXPECT_EQ(pulse.Next(), '\0');
  EXPECT_FALSE(HasChildren());
}

TEST(ChildProcess, WhatItLeftInItsGroupIsKilledWhenWaitedFor) {
  const Pulse pulse;
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Start({"sh", "-c", "sleep 3600 &"}, pulse.path()));
  EXPECT_OK(child.Wait(Enough()));
  EXPECT_EQ(pulse.Next(), '\0');
}

TEST(ChildProcess, StopAsksFirst) {
  const Pulse pulse;
  ASSERT_OK_AND_ASSIGN(
      ChildProcess child,
      Start({"sh", "-c", "trap 'printf t; exit 7' TERM; printf r; while :; do sleep 0.01; done"},
            pulse.path()));
  ASSERT_EQ(pulse.Next(), 'r');
  child.Stop(minutes(1));
  EXPECT_EQ(pulse.Next(), 't');
  EXPECT_EQ(child.Wait(Enough())->exit_code, 7);
}

TEST(ChildProcess, StopKillsWhoDoesNotListen) {
  const Pulse pulse;
  ASSERT_OK_AND_ASSIGN(
      ChildProcess child,
      Start({"sh", "-c", "trap '' TERM; printf r; while :; do sleep 3600; done"}, pulse.path()));
  ASSERT_EQ(pulse.Next(), 'r');
  child.Stop(milliseconds(10));
  EXPECT_EQ(child.Wait(Enough())->signal, SIGKILL);
  EXPECT_EQ(pulse.Next(), '\0');
  child.Stop(minutes(1));  // nothing left to do
  EXPECT_FALSE(HasChildren());
}

TEST(ChildProcess, SignalReachesItUntilItEnded) {
  ASSERT_OK_AND_ASSIGN(ChildProcess child, Start({"sleep", "3600"}));
  EXPECT_OK(child.Signal(SIGUSR1));
  EXPECT_EQ(child.Wait(Enough())->signal, SIGUSR1);
  EXPECT_CODE(Code::kNotFound, child.Signal(SIGTERM));
}

TEST(ChildProcess, MovesAndIsReplaced) {
  ASSERT_OK_AND_ASSIGN(ChildProcess first, Start({"sleep", "3600"}));
  const int pid = first.pid();
  ChildProcess second(std::move(first));
  EXPECT_EQ(second.pid(), pid);
  EXPECT_TRUE(second.Running());
  ASSERT_OK_AND_ASSIGN(ChildProcess third, Start({"sleep", "3600"}));
  second = std::move(third);
  EXPECT_NE(::kill(pid, 0), 0) << "the replaced one is gone";
  EXPECT_TRUE(second.Running());
}

TEST(ChildProcess, MissingProgramAndUnwritableLogAreTold) {
  EXPECT_CODE(Code::kNotFound, Start({"hearth-no-such-program"}));
  EXPECT_CODE(Code::kNotFound, Start({"true"}, "/no/such/directory/log"));
  EXPECT_FALSE(HasChildren());
}

// A process in between starts the child and is killed itself.
TEST(ChildProcess, DiesWithUs) {
  const Pulse pulse;
  const pid_t between = ::fork();
  if (between == 0) {
    const Result<ChildProcess> child =
        Start({"sh", "-c", "printf r; exec sleep 3600"}, pulse.path());
    ::pause();
    ::_exit(child.ok() ? 0 : 1);
  }
  // Until the child has the FIFO open, we hold it: no writer at all would look like a dead one.
  UniqueFd writer(::open(pulse.path().c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(pulse.Next(), 'r');
  writer.reset();
  EXPECT_EQ(::kill(between, SIGKILL), 0);
  EXPECT_EQ(pulse.Next(), '\0');
  EXPECT_EQ(::waitpid(between, nullptr, 0), between);
}

TEST(ChildProcess, GetsTheDescriptorsThatItIsGivenAndNoOthers) {
  const TempDirectory directory;
  const UniqueFd given(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd input(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const UniqueFd not_given(::open("/dev/full", O_RDONLY));  // a library forgot to close it
  auto child = ChildProcess::Start({.argv = {"/bin/sh", "-c", "ls -l /proc/self/fd"},
                                    .log_path = directory / "log",
                                    .input_fd = input.get(),
                                    .inherited_fds = {given.get()}});
  ASSERT_OK(child.status());
  ASSERT_OK(child->Wait(Enough()).status());
  const auto log = RealFileSystem().Read(directory / "log", 1 << 16);
  ASSERT_OK(log.status());
  EXPECT_THAT(*log, testing::HasSubstr(" 0 -> /dev/zero"));
  EXPECT_THAT(*log, testing::HasSubstr(" " + std::to_string(given.get()) + " -> /dev/null"));
  EXPECT_THAT(*log, testing::Not(testing::HasSubstr("/dev/full")));
}

}  // namespace
}  // namespace hearth
