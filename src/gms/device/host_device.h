#pragma once

#include <memory>
#include <optional>

#include "gms/device/device.h"

namespace hearth::gms {

// kTransparentHuge: whoever maps a piece gets 2 MiB pages where the kernel finds them; the kernel's
// setting for shared memory must allow it. kHuge2M: pages that the machine reserved beforehand; a
// piece has all of its pages or is not made.
enum class HostPages : uint8_t { kSmall, kTransparentHuge, kHuge2M };

struct HostDeviceOptions {
  int ordinal = 0;
  std::string uuid;           // empty: made from the machine's id and the ordinal
  uint64_t budget_bytes = 0;  // 0: all memory of the machine, or all its huge pages
  uint64_t granularity = 2ULL << 20;
  HostPages pages = HostPages::kSmall;
  std::optional<int> numa_node;  // memory comes from this node only
};

// Memory of this machine as a device: each piece is a memfd. Same descriptors, same rules as on an
// accelerator. Readers get descriptors that cannot be written. Costs one descriptor per piece, so
// the owner wants a high RLIMIT_NOFILE. kInvalid for options that make no sense; kUnavailable when
// there are no huge pages, saying how to get them.
Result<std::unique_ptr<Device>> OpenHostDevice(const HostDeviceOptions& options);
// For a process that maps pieces of such a device; of the facts only the granularity matters.
std::unique_ptr<AddressSpace> OpenHostAddressSpace(const DeviceFacts& facts);

// The name of a host device without one: the same in every process of this machine that sees the
// same /etc/machine-id (else the kernel's boot id). Containers that share memory set one
// themselves.
std::string HostDeviceUuid(int ordinal);

}  // namespace hearth::gms
