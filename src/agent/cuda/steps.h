#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "agent/cuda/cuda_checkpoint.h"

namespace hearth::agent::cuda {

enum class Action { kLock, kCheckpoint, kRestore, kUnlock };
std::string_view ActionName(Action action);

struct Step {
  Action action;
  int pid;
  friend bool operator==(const Step&, const Step&) = default;
};
// Steps of one phase do not wait for each other; a phase begins when the one before is done.
using Phase = std::vector<Step>;

// All are locked before any is checkpointed: none may wait for work of one that is gone. Pure, as
// is all here.
std::vector<Phase> PlanCheckpoint(const std::vector<int>& pids);
// All are restored before any runs on.
std::vector<Phase> PlanRestore(const std::vector<int>& pids);
// From wherever they are back to running, last first. Those that are running need nothing; whose
// state is kFailed cannot be helped and is left out; kUnknown is unlocked, which harms none.
std::vector<Phase> PlanRelease(const std::vector<std::pair<int, State>>& states);

}  // namespace hearth::agent::cuda
