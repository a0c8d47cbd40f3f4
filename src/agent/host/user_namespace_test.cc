#include "agent/host/user_namespace.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

TEST(UserNamespace, OfOneThatHasItsOwnIsSeen) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const UniqueFd reads(ready[0]);
  const UniqueFd writes(ready[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char apart = ::unshare(CLONE_NEWUSER) == 0 ? '1' : '0';
    static_cast<void>(::write(writes.get(), &apart, 1));
    ::pause();
    ::_exit(0);
  }
  char apart = '0';
  ASSERT_EQ(::read(reads.get(), &apart, 1), 1);
  const ProcReader proc;
  const bool seen = HasUsersOfItsOwn(proc, child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(HasUsersOfItsOwn(proc, ::getpid()));
  EXPECT_FALSE(HasUsersOfItsOwn(proc, child)) << "it is gone";
  if (apart != '1') {
    GTEST_SKIP() << "user namespaces cannot be made here";
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace hearth::agent
