#pragma once

#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth {

// Makes a forked child die with the thread that forked it, whatever pid namespace the child is in:
// PR_SET_PDEATHSIG says nothing of a parent that has ended before it was set, and getppid() is 0 in
// another namespace whether the parent lives or not. So both sides confirm once. Made before
// fork(), by a process without other threads that fork. Not thread-safe.
class ParentTie {
 public:
  static Result<ParentTie> Make();

  // In the child, before anything else: from here on it is killed when its parent ends. Waits for
  // the parent's Confirm. False: the parent has ended already, and nobody will kill the child.
  bool Hold();
  // In the parent, after fork(): returns once the child is tied, or gone.
  void Confirm();

 private:
  ParentTie(UniqueFd parent, UniqueFd child)
      : parent_(std::move(parent)), child_(std::move(child)) {}

  UniqueFd parent_;
  UniqueFd child_;
};

}  // namespace hearth
