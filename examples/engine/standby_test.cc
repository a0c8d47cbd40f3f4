#include "standby.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::engine {
namespace {

// Runs in a process of its own, which gets the children of children as a container's first process
// does: `restored` is one of those.
int StandByWith(const std::string& directory, int (*restored)(const std::string& directory)) {
  const pid_t standing_by = ::fork();
  if (standing_by == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t between = ::fork();
    if (between == 0) {
      if (::fork() == 0) {
        ::_exit(restored(directory));
      }
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    ::_exit(StandBy(RealFileSystem(), directory));
  }
  int status = 0;
  ::waitpid(standing_by, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

void AwaitFile(const std::string& path) {
  while (::access(path.c_str(), F_OK) != 0) {
    ::sched_yield();
  }
}

TEST(StandBy, EndsAsTheRestoredEngineDid) {
  const TempDirectory directory;
  EXPECT_EQ(StandByWith(directory.path(),
                        [](const std::string& control) {
                          AwaitFile(control + "/restore-context.json");
                          static_cast<void>(RealFileSystem().Write(control + "/restore-complete",
                                                                   "done\n", 0644));
                          return 7;
                        }),
            7);
}

TEST(StandBy, TellsThatTheRestoredEngineWasKilled) {
  const TempDirectory directory;
  EXPECT_EQ(StandByWith(directory.path(),
                        [](const std::string& control) {
                          AwaitFile(control + "/restore-context.json");
                          static_cast<void>(RealFileSystem().Write(control + "/restore-complete",
                                                                   "done\n", 0644));
                          return ::raise(SIGKILL);
                        }),
            128 + SIGKILL);
}

// The control directory outlives containers: what it says of the one before is no restore of ours.
TEST(StandBy, ForgetsTheRestoreOfTheContainerBefore) {
  const TempDirectory directory;
  ASSERT_OK(RealFileSystem().Write(directory / "restore-complete", "done\n", 0644));
  EXPECT_EQ(StandByWith(directory.path(),
                        [](const std::string& control) {
                          AwaitFile(control + "/restore-context.json");
                          return ::access((control + "/restore-complete").c_str(), F_OK) == 0
                                     ? 1
                                     : ::kill(::getppid(), SIGTERM);
                        }),
            0);
}

TEST(StandBy, FailsWhereItCannotWrite) {
  EXPECT_EQ(StandByWith("/nowhere/at/all", [](const std::string&) { return 0; }), 1);
}

}  // namespace
}  // namespace hearth::engine
