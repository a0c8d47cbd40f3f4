#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "disk/progress.h"

namespace hearth::snapshot::ctl {

// How far a restore is that this process does: by the memory of all that it has started, which is
// what is brought back and little more. Look is called from one thread, Finish from another.
class RestoreProgress {
 public:
  // Of the artifact; 0: not known.
  explicit RestoreProgress(uint64_t total_bytes);

  disk::Progress Look();
  // All of it is there.
  void Finish() { finished_ = true; }

 private:
  const uint64_t total_;
  const SteadyTime begin_;
  uint64_t highest_ = 0;  // of the thread that looks: nothing goes back
  std::atomic<bool> finished_ = false;
};

}  // namespace hearth::snapshot::ctl
