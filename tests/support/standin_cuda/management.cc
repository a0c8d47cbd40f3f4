#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "faults.h"
#include "memory.h"

// The calls of the management library: free memory by a device's name, without a context.
namespace {

struct MemoryInfo {
  uint64_t total;
  uint64_t free;
  uint64_t used;
};

}  // namespace

extern "C" {

int nvmlInit_v2() { return standin::Faults::Get().Next("nvmlInit"); }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  constexpr int kNotFound = 6;
  size_t length = std::strlen(uuid);
  const bool ours =
      std::strncmp(uuid, "GPU-c0c0c0c0", 12) == 0 || std::strncmp(uuid, "MIG-c0c0c0c0", 12) == 0;
  if (length != 40 || !ours) {
    return kNotFound;
  }
  // The last byte of a name is the number of the device.
  uintptr_t number = std::strtoul(uuid + length - 2, nullptr, 16) + 1;
  *device = reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
  return standin::Faults::Get().Next("nvmlDeviceGetHandleByUUID");
}

int nvmlDeviceGetMemoryInfo(void* device, MemoryInfo* info) {
  if (int fault = standin::Faults::Get().Next("nvmlDeviceGetMemoryInfo"); fault != 0) {
    return fault;
  }
  auto& memory = standin::Memory::Get();
  info->total = memory.total();
  info->free = memory.FreeBytes(static_cast<int>(reinterpret_cast<uintptr_t>(device)) - 1);
  info->used = info->total - info->free;
  return 0;
}

}  // extern "C"
