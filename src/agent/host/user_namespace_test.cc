#include "agent/host/user_namespace.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace hearth::agent {
namespace {

TEST(UserNamespace, OfOneThatHasItsOwnIsSeen) {
  // Like fork(), but into the namespace at once: unshare() refuses a process that has threads, and
  // the thread sanitizer gives one to each child.
  const auto child = static_cast<pid_t>(
      ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child < 0) {
    GTEST_SKIP() << "user namespaces cannot be made here: " << std::strerror(errno);
  }
  if (child == 0) {
    while (true) {
      ::pause();
    }
  }
  const ProcReader proc;
  const bool seen = HasUsersOfItsOwn(proc, child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(HasUsersOfItsOwn(proc, ::getpid()));
  EXPECT_FALSE(HasUsersOfItsOwn(proc, child)) << "it is gone";
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace hearth::agent
