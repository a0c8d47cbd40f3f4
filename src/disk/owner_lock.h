#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::disk {

// A lock on a file that goes with the process that holds it, however it ends: tells staging that
// somebody works on from staging that somebody left behind. Moves; the last owner lets go.
class OwnerLock {
 public:
  // Makes the file when it is not there, also when who held it has removed it. Waits for others.
  static Result<OwnerLock> Take(const std::string& path);
  // kConflict when somebody holds it, kNotFound when there is no such file.
  static Result<OwnerLock> TryTakeExisting(const std::string& path);

  // Whoever inherits it holds the lock, too: it is free when the last of them is gone.
  int fd() const { return fd_.get(); }

 private:
  explicit OwnerLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace hearth::disk
