#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace hearth::internal {

// By number: the header of glibc 2.36 declares the wrappers without C linkage, so that C++ cannot
// link them.
inline int PidfdOpen(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

inline int PidfdSendSignal(int pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}

}  // namespace hearth::internal
