#include "gms/device/testing/holder_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/check.h"

namespace hearth::gms {

HolderProcess::HolderProcess(const UniqueFd& fd) {
  int keep = fd.get();
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // Other pieces must not live on in here.
    int first = 3;
    if (keep > first) {
      ::close_range(first, keep - 1, 0);
    }
    ::close_range(std::max(first, keep + 1), ~0U, 0);
    for (;;) {
      ::pause();
    }
  }
}

void HolderProcess::Kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

}  // namespace hearth::gms
