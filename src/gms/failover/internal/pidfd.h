#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace hearth::gms::internal {

// Polls readable when the process has ended; none when there is no such process. By number: glibc
// 2.36 declares the wrapper without C linkage.
inline UniqueFd OpenPidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace hearth::gms::internal
