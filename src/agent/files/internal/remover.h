#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "agent/files/left_out.h"
#include "base/result.h"

namespace hearth::agent::files {

// Removes files below a root, whole trees at a time, and leaves alone what is left out and what is
// mounted somewhere in it. Links are removed, never followed. Errors name the path.
class Remover {
 public:
  Remover(int root, const LeftOut& left_out) : root_(root), left_out_(left_out) {}

  // What is not there is removed already.
  Status Remove(const std::string& path);
  // The same for something in an open directory. False when part of it had to stay.
  Result<bool> RemoveName(int directory, const std::string& name, const std::string& path);
  // Everything in a directory but `kept`. One that is not there, or is none, is empty.
  Status Empty(const std::string& path, const std::set<std::string>& kept);

  uint64_t removed() const { return removed_; }  // files and directories

 private:
  Result<bool> RemoveDirectory(int directory, const std::string& name, const std::string& path);
  Status EmptyOpen(int directory, const std::string& path, const std::set<std::string>& kept);

  const int root_;
  const LeftOut& left_out_;
  uint64_t removed_ = 0;
};

}  // namespace hearth::agent::files
