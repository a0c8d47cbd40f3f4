#include "agent/cuda/steps.h"

namespace hearth::agent::cuda {
namespace {

Phase Each(Action action, const std::vector<int>& pids) {
  Phase phase;
  for (const int pid : pids) {
    phase.push_back({action, pid});
  }
  return phase;
}

std::vector<Phase> WithoutEmpty(std::vector<Phase> phases) {
  std::erase_if(phases, [](const Phase& phase) { return phase.empty(); });
  return phases;
}

}  // namespace

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kLock:
      return "lock";
    case Action::kCheckpoint:
      return "checkpoint";
    case Action::kRestore:
      return "restore";
    case Action::kUnlock:
      return "unlock";
  }
  return "";
}

std::vector<Phase> PlanCheckpoint(const std::vector<int>& pids) {
  return WithoutEmpty({Each(Action::kLock, pids), Each(Action::kCheckpoint, pids)});
}

std::vector<Phase> PlanRestore(const std::vector<int>& pids) {
  return WithoutEmpty({Each(Action::kRestore, pids), Each(Action::kUnlock, pids)});
}

std::vector<Phase> PlanRelease(const std::vector<std::pair<int, State>>& states) {
  std::vector<int> checkpointed;
  std::vector<int> held;
  for (auto state = states.rbegin(); state != states.rend(); ++state) {
    if (state->second == State::kCheckpointed) {
      checkpointed.push_back(state->first);
    }
    if (state->second != State::kRunning && state->second != State::kFailed) {
      held.push_back(state->first);
    }
  }
  return WithoutEmpty({Each(Action::kRestore, checkpointed), Each(Action::kUnlock, held)});
}

}  // namespace hearth::agent::cuda
