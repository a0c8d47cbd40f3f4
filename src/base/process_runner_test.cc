#include "base/process_runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/file_system.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::HasSubstr;

WaitLimit Soon() { return WaitLimit::For(RealClock(), milliseconds(50)); }
WaitLimit Enough() { return WaitLimit::For(RealClock(), minutes(1)); }

Result<ProcessOutcome> RunProgram(std::vector<std::string> argv,
                                  const WaitLimit& limit = Enough()) {
  return RealProcessRunner().Run({.argv = std::move(argv)}, limit);
}

size_t OpenDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

// Whether this process has a child, dead or alive, that nobody waited for.
bool HasChildren() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// Waits until no process reads the FIFO's other end any more: its holders are dead, however they
// are related to us.
void AwaitEndOf(int fd) {
  char byte = 0;
  while (::read(fd, &byte, 1) > 0) {
  }
}

TEST(ProcessRunner, GivesOutputErrorsAndExitCode) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome,
                       RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}));
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.ok());
}

TEST(ProcessRunner, TellsTheSignalThatEndedIt) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, RunProgram({"sh", "-c", "kill -TERM $$"}));
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_FALSE(outcome.ok());
}

// The thread sanitizer copies all the same.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEARTH_COPIED_MEMORY
#endif
#endif
#if !defined(HEARTH_COPIED_MEMORY) && !defined(__SANITIZE_THREAD__)
// A copy of it, were there one for a moment, would cost a fault for each page.
TEST(ProcessRunner, OurMemoryIsNotCopied) {
  constexpr size_t kPages = 4096;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  const auto touch = [&] {
    rusage before{};
    rusage after{};
    ::getrusage(RUSAGE_THREAD, &before);
    for (size_t i = 0; i < kPages; ++i) {
      static_cast<volatile char*>(memory)[i * page] = 1;
    }
    ::getrusage(RUSAGE_THREAD, &after);
    return after.ru_minflt - before.ru_minflt;
  };
  EXPECT_GE(touch(), static_cast<long>(kPages));
  ASSERT_OK(RunProgram({"true"}).status());
  EXPECT_LT(touch(), static_cast<long>(kPages / 4));
  ::munmap(memory, kPages * page);
}
#endif

TEST(ProcessRunner, NoShellReadsTheArguments) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome,
                       RunProgram({"printf", "%s|", "$HOME", "a b", "", "; exit 1", "*", "`id`"}));
  EXPECT_EQ(outcome.output, "$HOME|a b||; exit 1|*|`id`|");
}

TEST(ProcessRunner, InputIsReadToItsEnd) {
  std::string input(3 << 20, 'x');
  input += "end";
  ASSERT_OK_AND_ASSIGN(
      const ProcessOutcome outcome,
      RealProcessRunner().Run({.argv = {"tail", "-c", "4"}, .input = input}, Enough()));
  EXPECT_EQ(outcome.output, "xend");
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome empty, RunProgram({"cat"}));
  EXPECT_EQ(empty.output, "");
}

TEST(ProcessRunner, InputThatNobodyReadsDoesNoHarm) {
  EXPECT_OK(
      RealProcessRunner().Run({.argv = {"true"}, .input = std::string(1 << 20, 'x')}, Enough()));
}

TEST(ProcessRunner, EnvironmentIsAddedOrReplaced) {
  ::setenv("HEARTH_TEST_INHERITED", "yes", 1);
  const std::vector<std::string> argv = {"env"};
  const std::vector<std::pair<std::string, std::string>> env = {{"A", "1"},
                                                                {"PATH", "/usr/bin:/bin"}};
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome added,
                       RealProcessRunner().Run({.argv = argv, .env = env}, Enough()));
  EXPECT_THAT(added.output, HasSubstr("A=1\n"));
  EXPECT_THAT(added.output, HasSubstr("HEARTH_TEST_INHERITED=yes\n"));
  ASSERT_OK_AND_ASSIGN(
      const ProcessOutcome cleared,
      RealProcessRunner().Run({.argv = argv, .env = env, .clear_env = true}, Enough()));
  EXPECT_EQ(cleared.output, "A=1\nPATH=/usr/bin:/bin\n");
  ::unsetenv("HEARTH_TEST_INHERITED");
}

TEST(ProcessRunner, RunsInTheGivenDirectory) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome,
                       RealProcessRunner().Run({.argv = {"pwd"}, .directory = "/usr"}, Enough()));
  EXPECT_EQ(outcome.output, "/usr\n");
  const Result<ProcessOutcome> missing =
      RealProcessRunner().Run({.argv = {"pwd"}, .directory = "/no/such"}, Enough());
  EXPECT_CODE(Code::kNotFound, missing);
  EXPECT_THAT(missing.status().message(), HasSubstr("enter directory /no/such"));
}

TEST(ProcessRunner, MissingProgramIsNotFound) {
  EXPECT_CODE(Code::kNotFound, RunProgram({"hearth-no-such-program"}));
  EXPECT_CODE(Code::kNotFound, RunProgram({"/no/such/program"}));
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, WhatIsNoProgramIsRefused) {
  const TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "plain", "echo hello\n", 0644));
  ASSERT_OK(RealFileSystem().Write(directory / "script", "echo no interpreter named\n", 0755));
  EXPECT_CODE(Code::kPermissionDenied, RunProgram({directory / "plain"}));
  EXPECT_CODE(
      Code::kPermissionDenied,
      RealProcessRunner().Run({.argv = {"plain"}, .env = {{"PATH", directory.path()}}}, Enough()));
  EXPECT_CODE(Code::kInvalid, RunProgram({directory / "script"}));
}

TEST(ProcessRunner, MalformedSpecsAreRefused) {
  EXPECT_CODE(Code::kInvalid, RunProgram({}));
  EXPECT_CODE(Code::kInvalid, RunProgram({""}));
  EXPECT_CODE(Code::kInvalid, RunProgram({"echo", std::string("a\0b", 3)}));
  EXPECT_CODE(Code::kInvalid,
              RealProcessRunner().Run({.argv = {"env"}, .env = {{"A=B", "c"}}}, Enough()));
  EXPECT_CODE(Code::kInvalid,
              RealProcessRunner().Run({.argv = {"env"}, .env = {{"", "c"}}}, Enough()));
}

TEST(ProcessRunner, DeadlineKillsGrandchildrenToo) {
  const TempDirectory directory;
  const std::string fifo = directory / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_EQ(::fcntl(reader.get(), F_SETFL, 0), 0);
  // The grandchild holds the FIFO open until it dies; it would live for an hour.
  const Result<ProcessOutcome> result =
      RunProgram({"sh", "-c", "(exec sleep 3600 >\"$1\") & echo waiting >&2; wait", "sh", fifo},
                 WaitLimit::For(RealClock(), milliseconds(2000)));
  EXPECT_CODE(Code::kDeadlineExceeded, result);
  EXPECT_THAT(result.status().message(), HasSubstr("stderr: waiting"));
  AwaitEndOf(reader.get());
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, DeadlineKillsWhoIgnoresRequests) {
  EXPECT_CODE(Code::kDeadlineExceeded,
              RunProgram({"sh", "-c", "trap '' TERM INT; while :; do sleep 1000; done"}, Soon()));
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, DeadlineHoldsForWhoWritesWithoutEnd) {
  EXPECT_CODE(
      Code::kDeadlineExceeded,
      RealProcessRunner().Run({.argv = {"cat", "/dev/zero"}, .output_limit = 1ULL << 40}, Soon()));
}

TEST(ProcessRunner, StopTokenEndsTheRun) {
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  EXPECT_CODE(Code::kCancelled, RunProgram({"sleep", "3600"}, {.stop = stop.get_token()}));
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, OutputBeyondTheLimitKillsIt) {
  for (const char* script : {"yes", "yes >&2"}) {
    const Result<ProcessOutcome> result =
        RealProcessRunner().Run({.argv = {"sh", "-c", script}, .output_limit = 1000}, Enough());
    EXPECT_CODE(Code::kExhausted, result);
    EXPECT_THAT(result.status().message(), HasSubstr("more than 1000 bytes on std"));
  }
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, OutputUpToTheLimitIsFine) {
  ASSERT_OK_AND_ASSIGN(
      const ProcessOutcome outcome,
      RealProcessRunner().Run({.argv = {"printf", "12345"}, .output_limit = 5}, Enough()));
  EXPECT_EQ(outcome.output, "12345");
}

TEST(ProcessRunner, LargeOutputOnBothStreamsArrivesWhole) {
  ASSERT_OK_AND_ASSIGN(
      const ProcessOutcome outcome,
      RunProgram({"sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"}));
  EXPECT_EQ(outcome.output.size(), 1'000'000U);
  EXPECT_EQ(outcome.errors.size(), 1'000'000U);
}

TEST(ProcessRunner, DoesNotWaitForADaemonThatHoldsTheOutput) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome,
                       RunProgram({"sh", "-c", "sleep 3600 & echo $!"}));
  const pid_t daemon = std::stoi(outcome.output);
  EXPECT_EQ(::kill(daemon, SIGKILL), 0) << "it was left running";
}

TEST(ProcessRunner, ChildGetsDefaultSignalsAndNoDescriptors) {
  // Without close-on-exec, as a careless library has it.
  const UniqueFd leaked(::open("/dev/null", O_RDONLY));
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &term, &before);
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  const Result<ProcessOutcome> status =
      RunProgram({"grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"});
  const Result<ProcessOutcome> descriptors = RunProgram({"ls", "/proc/self/fd"});
  std::signal(SIGPIPE, old_pipe);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_OK(status);
  EXPECT_EQ(status->output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  ASSERT_OK(descriptors);
  EXPECT_EQ(descriptors->output, "0\n1\n2\n3\n") << "3 is the directory that ls reads";
}

TEST(ProcessRunner, LeavesNoDescriptorAndNoZombieOnAnyPath) {
  const size_t before = OpenDescriptors();
  std::stop_source stopped;
  stopped.request_stop();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(RunProgram({"true"}));
    EXPECT_CODE(Code::kNotFound, RunProgram({"/no/such/program"}));
    EXPECT_CODE(Code::kDeadlineExceeded,
                RunProgram({"sleep", "3600"}, WaitLimit::For(RealClock(), milliseconds(1))));
    EXPECT_CODE(Code::kCancelled, RunProgram({"sleep", "3600"}, {.stop = stopped.get_token()}));
    EXPECT_CODE(
        Code::kExhausted,
        RealProcessRunner().Run({.argv = {"yes"}, .input = "x", .output_limit = 1}, Enough()));
  }
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_FALSE(HasChildren());
}

TEST(ProcessRunner, ThreadsMayRunAtOnce) {
  constexpr int kThreads = 4;
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([i] {
      for (int j = 0; j < 5; ++j) {
        ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, RunProgram({"echo", std::to_string(i)}));
        EXPECT_EQ(outcome.output, std::to_string(i) + "\n");
      }
    });
  }
}

}  // namespace
}  // namespace hearth
