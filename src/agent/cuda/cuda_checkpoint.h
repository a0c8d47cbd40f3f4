#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/cuda/device_map.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::cuda {

// Of a process, to the driver. It is locked before it is checkpointed and after it is restored.
enum class State { kRunning, kLocked, kCheckpointed, kFailed, kUnknown };
std::string_view StateName(State state);
State ParseState(std::string_view text);  // kUnknown when it is none

// What the driver does with one process that uses CUDA. Pids are as the program that asks the
// driver sees them. Blocking; thread-safe. kUnsupported: there is nobody who could ask the driver.
class CudaCheckpoint {
 public:
  virtual ~CudaCheckpoint() = default;

  virtual Result<State> StateOf(int pid, const WaitLimit& limit) = 0;
  // The thread that the driver restores from. kNotFound: the process does not use CUDA.
  virtual Result<int> RestoreThread(int pid, const WaitLimit& limit) = 0;
  // No new work is begun, and what was begun is done. Gives up, unlocked, after `timeout`.
  virtual Status Lock(int pid, Duration timeout, const WaitLimit& limit) = 0;
  // Device memory goes to the host's, and the devices are let go. Needs kLocked.
  virtual Status Checkpoint(int pid, const WaitLimit& limit) = 0;
  // Back to kLocked, on other devices where the map says so.
  virtual Status Restore(int pid, const DeviceMap& map, const WaitLimit& limit) = 0;
  virtual Status Unlock(int pid, const WaitLimit& limit) = 0;
};

struct ProgramOptions {
  std::string program = "cuda-checkpoint";
  // Of processes that were launched as one job: given to the program, which changes it.
  std::string job_file;
  // Where processes are seen: each one's is then the job file of its container, if there is one.
  std::string proc = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  Duration longest_step = std::chrono::minutes(10);
};

// Runs cuda-checkpoint once for each question, in a process group of its own that is killed when
// the limit is over. `runner` and `clock` outlive it.
std::unique_ptr<CudaCheckpoint> MakeCudaCheckpointProgram(ProgramOptions options,
                                                          ProcessRunner& runner, Clock& clock);

}  // namespace hearth::agent::cuda
