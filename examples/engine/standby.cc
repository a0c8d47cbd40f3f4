#include "standby.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include "restore_context.h"
#include "snapshot_control.h"

namespace hearth::engine {
namespace {

// An engine that dies before the restore is announced is noticed then.
constexpr timespec kLookAgain{.tv_sec = 1, .tv_nsec = 0};

sigset_t Awaited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) {
    sigaddset(&set, number);
  }
  return set;
}

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// What is restored becomes our child: the first process of a container inherits everybody.
class Children {
 public:
  // Takes the dead away. Whether somebody lives.
  bool Bury() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
      last_ = ExitCode(status);
    }
    return pid == 0;
  }
  int last_exit_code() const { return last_; }

 private:
  int last_ = 0;
};

// As init processes do; the kernel spares us.
void TellAll(int number) {
  if (::getpid() == 1) {
    ::kill(-1, number);
  }
}

}  // namespace

int StandBy(FileSystem& files, const std::string& control_directory) {
  ::prctl(PR_SET_NAME, "engine-standby");
  const sigset_t awaited = Awaited();
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  SnapshotControl control(files, control_directory);
  control.ForgetRestore();
  const Status written = WriteRestoreContext(files, control_directory);
  if (!written.ok()) {
    fmt::print(stderr, "engine: standing by in {}: {}\n", control_directory, written.ToString());
    return 1;
  }
  Children children;
  bool told_to_stop = false;
  while (true) {
    const int number = ::sigtimedwait(&awaited, nullptr, &kLookAgain);
    if (number == SIGTERM || number == SIGINT) {
      told_to_stop = true;
      TellAll(number);
    }
    const bool somebody = children.Bury();
    if (!somebody && (told_to_stop || control.IsRestored())) {
      return children.last_exit_code();
    }
  }
}

}  // namespace hearth::engine
