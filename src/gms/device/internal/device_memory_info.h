#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gms/device/internal/cuda_api.h"

namespace hearth::gms::internal {

// How much memory of a device is free, asked of the management library, which needs no context on
// it. Thread-safe.
class DeviceMemoryInfo {
 public:
  // kUnavailable: no library, or it does not know the device.
  static Result<DeviceMemoryInfo> Open(const std::string& library, const std::string& uuid);
  Result<uint64_t> FreeBytes() const;

 private:
  DeviceMemoryInfo() = default;

  int (*memory_)(void* device, cuda::MemoryInfo*) = nullptr;
  void* device_ = nullptr;
};

}  // namespace hearth::gms::internal
