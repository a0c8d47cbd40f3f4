#pragma once

#include <memory>
#include <optional>

#include "gms/device/device.h"

namespace hearth::gms {

enum class HostPages : uint8_t { kSmall, kTransparentHuge, kHuge2M };

struct HostDeviceOptions {
  int ordinal = 0;
  std::string uuid;  // empty: made from the machine's id and the ordinal
  uint64_t budget_bytes = 0;
  uint64_t granularity = 2ULL << 20;
  HostPages pages = HostPages::kSmall;
  std::optional<int> numa_node;
};

// Memory of this machine as a device: each piece is a memfd. Same descriptors, same rules as on an
// accelerator. Readers get descriptors that cannot be written. kInvalid for options that make no
// sense; kUnavailable when there are no huge pages, saying how to get them.
Result<std::unique_ptr<Device>> OpenHostDevice(const HostDeviceOptions& options);
// For a process that maps pieces of such a device.
std::unique_ptr<AddressSpace> OpenHostAddressSpace(const DeviceFacts& facts);

}  // namespace hearth::gms
