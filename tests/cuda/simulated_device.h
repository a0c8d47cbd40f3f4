#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/cuda/cuda_checkpoint.h"
#include "base/testing/temp_directory.h"

namespace hearth::cuda {

// Processes that use CUDA, and a cuda-checkpoint (simulated_cuda_checkpoint.cc) that does to them
// what it is asked. No GPU is involved, nor are the processes.
class SimulatedDevice {
 public:
  // Asks through the program. `job_file` may be empty.
  std::unique_ptr<agent::cuda::CudaCheckpoint> Driver(const std::string& job_file = "") const;

  void Add(int pid, const std::string& state = "running");
  void Remove(int pid);
  std::string StateOf(int pid) const;
  std::string DevicesOf(int pid) const;
  // "lock 12", or with the state it leaves: "checkpoint 12 failed"; from then on.
  void Fail(const std::string& line);
  void Hang(const std::string& line);
  void Recover();
  // What was asked to be done, in order; without questions.
  std::vector<std::string> Actions() const;
  bool Hanging() const;

 private:
  std::string Read(const std::string& name) const;

  TempDirectory directory_;
};

}  // namespace hearth::cuda
