#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// A folder within a container that we write to and that belongs to somebody we do not trust. It is
// looked up within the container's root, no link is followed on the way or in it, and what is there
// under our names is replaced, never written through. Holds on to the folder that it found,
// whatever is mounted or renamed meanwhile. Thread-safe.
class ControlDirectory {
 public:
  // `root`: the container's root as we see it (/proc/PID/root). kNotFound, kPermissionDenied when a
  // link is in the way.
  static Result<ControlDirectory> Open(const std::string& root, const std::string& path);

  // A directory that is open already; a descriptor of its own is kept.
  static Result<ControlDirectory> Hold(int directory);

  // All of it or nothing under the name; durable when it returns.
  Status Write(std::string_view name, std::string_view content, mode_t mode = 0644);
  Status Remove(std::string_view name);  // absent is fine
  // A regular file of at most `limit` bytes.
  Result<std::string> Read(std::string_view name, size_t limit) const;
  Result<bool> Has(std::string_view name) const;
  int fd() const { return directory_.get(); }

 private:
  explicit ControlDirectory(UniqueFd directory) : directory_(std::move(directory)) {}
  UniqueFd directory_;
};

}  // namespace hearth::agent
