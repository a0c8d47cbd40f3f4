#include "agent/restore/namespaces.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

constexpr std::array kEntered = {"uts", "ipc", "net", "cgroup"};

ino_t InodeOf(const std::string& process, const std::string& name) {
  struct stat info {};
  return ::stat(("/proc/" + process + "/ns/" + name).c_str(), &info) == 0 ? info.st_ino : 0;
}

// Has namespaces of its own and waits. -1: that is not allowed here.
pid_t StartApart() {
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) {
    return -1;
  }
  const UniqueFd reads(ready[0]);
  UniqueFd writes(ready[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool apart =
        ::unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP) == 0;
    const char word = apart ? '1' : '0';
    static_cast<void>(::write(writes.get(), &word, 1));
    ::pause();
    ::_exit(0);
  }
  writes.reset();
  char word = '0';
  static_cast<void>(::read(reads.get(), &word, 1));
  if (word == '1') {
    return child;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return -1;
}

// The number of the first that it is not in, from 1; 0: it is in all.
int EnterAndCompare(pid_t other) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, other, 0)));
  std::array<ino_t, kEntered.size()> wanted{};
  for (size_t i = 0; i < kEntered.size(); ++i) {
    wanted[i] = InodeOf(std::to_string(other), kEntered[i]);
  }
  if (!EnterNamespacesOf(pidfd.get()).ok()) {
    return 100;
  }
  for (size_t i = 0; i < kEntered.size(); ++i) {
    if (InodeOf("self", kEntered[i]) != wanted[i]) {
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

// What is restored stays where it was started: in the node's cgroup namespace it would see the
// node's groups.
TEST(Namespaces, AllOfAContainerAreEntered) {
  const pid_t other = StartApart();
  if (other < 0) {
    GTEST_SKIP() << "namespaces cannot be made here";
  }
  ASSERT_NE(InodeOf("self", "cgroup"), InodeOf(std::to_string(other), "cgroup"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(EnterAndCompare(other));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: uts, 2: ipc, 3: net, 4: cgroup, 100: none";
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace hearth::agent
