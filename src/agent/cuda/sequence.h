#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "agent/cuda/cuda_checkpoint.h"
#include "agent/cuda/steps.h"
#include "agent/host/process_facts.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::cuda {

// The reason of a status that leaves processes locked or checkpointed: they must be killed.
inline constexpr std::string_view kNotReleased = "CudaNotReleased";

struct SequenceOptions {
  Duration lock_timeout = std::chrono::seconds(10);
  // Steps of a phase that run at once. One with a job file: the driver changes it at each step.
  size_t lanes = 1;
  size_t probe_lanes = 8;  // questions only
  // For undoing, which goes on after a caller has given up.
  Duration release_time = std::chrono::seconds(30);
};

// Takes all processes of a container through the driver's states together. Blocking; thread-safe.
// `driver` and `clock` outlive it.
class Sequence {
 public:
  Sequence(CudaCheckpoint& driver, Clock& clock, SequenceOptions options = {})
      : driver_(driver), clock_(clock), options_(options) {}

  // Which of `tree` use CUDA, in their order. Only those that have its library mapped are asked.
  // kUnsupported: one has, and there is nobody who could ask the driver.
  Result<std::vector<int>> FindProcesses(const ProcReader& proc,
                                         const std::vector<ProcessFacts>& tree,
                                         const WaitLimit& limit);
  // All are locked, then all are checkpointed. When that fails or the limit is over, all run again
  // before it returns; those that cannot are named, with kNotReleased.
  Status Checkpoint(const std::vector<int>& pids, const WaitLimit& limit);
  // All are restored, then all run. Nothing is undone: who fails is killed by whoever restores.
  Status Restore(const std::vector<int>& pids, const DeviceMap& map, const WaitLimit& limit);
  // From wherever they are back to running: after a capture that nobody finished. Processes that
  // are gone do not count. Has a time of its own, `release_time`: what whoever asks had is over, as
  // a rule. kNotReleased names those that are stuck.
  Status Release(const std::vector<int>& pids);

 private:
  Status Do(const Step& step, const DeviceMap& map, const WaitLimit& limit);
  Status Unlock(int pid, const WaitLimit& limit);
  Status RunPhases(const std::vector<Phase>& phases, const DeviceMap& map, const WaitLimit& limit);

  CudaCheckpoint& driver_;
  Clock& clock_;
  SequenceOptions options_;
};

// Calls `work` for each number below `count`, at most `lanes` at once. Begins no more after one has
// failed; returns the failure of the lowest number.
Status InLanes(size_t count, size_t lanes, const std::function<Status(size_t)>& work);

}  // namespace hearth::agent::cuda
