#pragma once

#include <sys/types.h>

#include "base/unique_fd.h"

namespace hearth::gms {

// A child process that holds a copy of a descriptor, and nothing else of ours that matters, until
// it is killed. Made by fork, so make it before the process has threads.
class HolderProcess {
 public:
  explicit HolderProcess(const UniqueFd& fd);
  ~HolderProcess() { Kill(); }
  HolderProcess(const HolderProcess&) = delete;
  HolderProcess& operator=(const HolderProcess&) = delete;

  void Kill();  // SIGKILL, and reaped

 private:
  pid_t pid_ = -1;
};

}  // namespace hearth::gms
