#pragma once

#include <string>

#include "gms/device/cuda_device.h"

namespace hearth::gms {

// A driver for machines without one: a library built with the tests that keeps the driver's rules
// on memory of the machine. Two devices of 64 MiB, or what STANDIN_CUDA_DEVICES and
// STANDIN_CUDA_MEMORY say when it is first used; with STANDIN_CUDA_PARTITIONED they are instances
// of one partitioned device; STANDIN_CUDA_FAULTS="cuMemCreate:2:999 ..." makes calls fail in
// another program.
CudaLibraries StandInCuda();

// Faults and facts of the stand-in within this process. Clean when it goes.
class StandInCudaControl {
 public:
  StandInCudaControl();
  ~StandInCudaControl();
  StandInCudaControl(const StandInCudaControl&) = delete;
  StandInCudaControl& operator=(const StandInCudaControl&) = delete;

  // The `nth` call of that name from now (1: the next) gives the driver's `result`; 0: all do.
  void Fail(const std::string& call, int nth, int result);
  void Clear();
  int Calls(const std::string& call) const;

  int gpu_direct_pieces() const { return Ask("standin_cuda_gpu_direct_pieces"); }
  int open_streams() const { return Ask("standin_cuda_open_streams"); }
  int retained_contexts() const { return Ask("standin_cuda_retained_contexts"); }

 private:
  void* Symbol(const char* name) const;
  int Ask(const char* name) const;

  void* library_;
};

}  // namespace hearth::gms
