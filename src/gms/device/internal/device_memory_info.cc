#include "gms/device/internal/device_memory_info.h"

#include <fmt/format.h>

#include "gms/device/internal/shared_library.h"

namespace hearth::gms::internal {

Result<DeviceMemoryInfo> DeviceMemoryInfo::Open(const std::string& library,
                                                const std::string& uuid) {
  ASSIGN_OR_RETURN(SharedLibrary loaded, SharedLibrary::Open(library));
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  DeviceMemoryInfo info;
  RETURN_IF_ERROR(loaded.Find("nvmlInit_v2", init));
  RETURN_IF_ERROR(loaded.Find("nvmlDeviceGetHandleByUUID", by_uuid));
  RETURN_IF_ERROR(loaded.Find("nvmlDeviceGetMemoryInfo", info.memory_));
  if (int result = init(); result != 0) {
    return UnavailableError(fmt::format("nvmlInit_v2: error {}", result));
  }
  if (int result = by_uuid(uuid.c_str(), &info.device_); result != 0) {
    return UnavailableError(fmt::format("nvmlDeviceGetHandleByUUID {}: error {}", uuid, result));
  }
  return info;
}

Result<uint64_t> DeviceMemoryInfo::FreeBytes() const {
  cuda::MemoryInfo memory;
  if (int result = memory_(device_, &memory); result != 0) {
    return UnavailableError(fmt::format("nvmlDeviceGetMemoryInfo: error {}", result));
  }
  return memory.free;
}

}  // namespace hearth::gms::internal
