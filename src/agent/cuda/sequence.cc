#include "agent/cuda/sequence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::agent::cuda {
namespace {

constexpr std::string_view kLibrary = "/libcuda.so";

std::string Name(const Step& step) {
  return fmt::format("{} process {}", ActionName(step.action), step.pid);
}

}  // namespace

Result<std::vector<int>> Sequence::FindProcesses(const ProcReader& proc,
                                                 const std::vector<ProcessFacts>& tree,
                                                 const WaitLimit& limit) {
  std::vector<int> asked;
  for (const ProcessFacts& process : tree) {
    if (!process.IsZombie() && proc.HasMapped(process.pid, kLibrary).value_or(false)) {
      asked.push_back(process.pid);
    }
  }
  std::vector<char> uses(asked.size(), 0);  // not bool: lanes write side by side
  RETURN_IF_ERROR(InLanes(asked.size(), options_.probe_lanes, [&](size_t i) {
    const auto thread = driver_.RestoreThread(asked[i], limit);
    uses[i] = thread.ok() ? 1 : 0;
    return thread.ok() || thread.status().Is(Code::kNotFound)
               ? Status::Ok()
               : thread.status().WithContext(fmt::format("process {} may use CUDA", asked[i]));
  }));
  std::vector<int> found;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (uses[i] != 0) {
      found.push_back(asked[i]);
    }
  }
  return found;
}

Status Sequence::Checkpoint(const std::vector<int>& pids, const WaitLimit& limit) {
  Status failure = RunPhases(PlanCheckpoint(pids), {}, limit);
  if (failure.ok()) {
    return failure;
  }
  const Status released = Release(pids);
  if (released.ok()) {
    return failure;
  }
  return Status(failure.code(), std::string(kNotReleased),
                fmt::format("{}; and then {}", failure.message(), released.message()));
}

Status Sequence::Restore(const std::vector<int>& pids, const DeviceMap& map,
                         const WaitLimit& limit) {
  return RunPhases(PlanRestore(pids), map, limit);
}

Status Sequence::Release(const std::vector<int>& pids) {
  const WaitLimit limit = WaitLimit::For(clock_, options_.release_time);
  std::vector<std::pair<int, State>> states;
  std::vector<std::string> stuck;
  for (const int pid : pids) {
    states.emplace_back(pid, driver_.StateOf(pid, limit).value_or(State::kUnknown));
    if (states.back().second == State::kFailed) {
      stuck.push_back(fmt::format("process {} has failed", pid));
    }
  }
  // One that is stuck must not keep the others.
  for (const Phase& phase : PlanRelease(states)) {
    for (const Step& step : phase) {
      const Status done = Do(step, {}, limit);
      const bool gone = driver_.RestoreThread(step.pid, limit).status().Is(Code::kNotFound);
      if (!done.ok() && !gone) {
        stuck.emplace_back(done.message());
      }
    }
  }
  if (stuck.empty()) {
    return Status::Ok();
  }
  return Status(Code::kInternal, std::string(kNotReleased),
                fmt::format("CUDA cannot run on and must be killed: {}", Join(stuck, "; ")));
}

Status Sequence::RunPhases(const std::vector<Phase>& phases, const DeviceMap& map,
                           const WaitLimit& limit) {
  for (const Phase& phase : phases) {
    RETURN_IF_ERROR(
        InLanes(phase.size(), options_.lanes, [&](size_t i) { return Do(phase[i], map, limit); }));
  }
  return Status::Ok();
}

Status Sequence::Do(const Step& step, const DeviceMap& map, const WaitLimit& limit) {
  RETURN_IF_ERROR(limit.Check(clock_, Name(step)));
  switch (step.action) {
    case Action::kLock:
      return driver_.Lock(step.pid, std::min(options_.lock_timeout, limit.Remaining(clock_)),
                          limit);
    case Action::kCheckpoint:
      return driver_.Checkpoint(step.pid, limit);
    case Action::kRestore:
      return driver_.Restore(step.pid, map, limit);
    case Action::kUnlock:
      return Unlock(step.pid, limit);
  }
  return Status::Ok();
}

Status Sequence::Unlock(int pid, const WaitLimit& limit) {
  Status failure = driver_.Unlock(pid, limit);
  // Whoever is running has nothing to be unlocked.
  if (!failure.ok() && driver_.StateOf(pid, limit).value_or(State::kUnknown) == State::kRunning) {
    return Status::Ok();
  }
  return failure;
}

}  // namespace hearth::agent::cuda
