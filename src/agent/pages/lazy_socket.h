#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// Where CRIU hands over the memory of what it restores when it is told that somebody else fills it
// (lazy pages). One restore. Not thread-safe.
class LazySocket {
 public:
  // In the directory that CRIU works in. What an earlier one has left is replaced.
  static Result<LazySocket> Listen(const std::string& directory);
  LazySocket(LazySocket&& other) noexcept = default;
  LazySocket& operator=(LazySocket&&) = delete;
  ~LazySocket();

  // What to wait on: readable when there is something to take.
  int fd() const { return connection_.valid() ? connection_.get() : listener_.get(); }

  struct Process {
    int pid = 0;  // in its own pid namespace
    UniqueFd faults;
  };
  // Nothing when CRIU has come, told of a process without memory, or said that it is done.
  Result<std::optional<Process>> Take();
  bool ended() const { return ended_; }

 private:
  LazySocket(std::string path, UniqueFd listener)
      : path_(std::move(path)), listener_(std::move(listener)) {}

  std::string path_;
  UniqueFd listener_;
  UniqueFd connection_;
  bool ended_ = false;  // CRIU is gone
};

}  // namespace hearth::agent
