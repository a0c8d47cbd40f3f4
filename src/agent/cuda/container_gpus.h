#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cuda/gpu_discovery.h"
#include "base/process_runner.h"

namespace hearth::agent::cuda {

// By what the driver tells the host (/proc/driver/nvidia/gpus) and which of its device files the
// container has. Runs nothing of the container's.
std::unique_ptr<ContainerGpus> MakeDriverGpus(std::string proc = "/proc",
                                              std::string driver = "/proc/driver/nvidia/gpus");

// By nvidia-smi as the container has it, in its mount and pid namespaces. That is a program of
// somebody whom we do not trust, run with our rights: only where the driver's files are missing.
std::unique_ptr<ContainerGpus> MakeNvidiaSmiGpus(ProcessRunner& runner);

// What the driver says of one GPU ("information").
struct DriverGpu {
  std::string uuid;
  int minor = -1;
};
// kNotFound: the text tells no UUID, as before the GPU is first used, or no minor number.
Result<DriverGpu> ParseDriverGpu(std::string_view text);

}  // namespace hearth::agent::cuda
