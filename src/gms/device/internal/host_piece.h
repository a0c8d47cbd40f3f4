#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/device/host_device.h"

namespace hearth::gms::internal {

struct HostPieceShape {
  uint64_t size = 0;
  HostPages pages = HostPages::kSmall;
  std::optional<int> numa_node;
};

// A memfd whose size nobody can change. Huge pages are set aside for all of it. kExhausted: no
// memory, no huge pages or no descriptors left.
Result<UniqueFd> MakeHostPiece(const HostPieceShape& shape);

// The same file through a new descriptor that cannot write. From now on nobody but its owner can
// open the file again, so that a reader stays one.
Result<UniqueFd> OpenReadOnly(int piece);
// Another descriptor of the same opening.
Result<UniqueFd> Duplicate(int piece);

// No new writable mappings, no write(); those that exist stay.
Status RefuseNewWriters(int piece);

// What a descriptor from elsewhere is. kInvalid: not a memfd of `size` bytes, or one that its
// holder could shrink under us.
struct ForeignPiece {
  bool sealed = false;    // RefuseNewWriters was called
  bool writable = false;  // this descriptor
};
Result<ForeignPiece> InspectHostPiece(int piece, uint64_t size);

// Whether memory can be bound to the node. kInvalid: no such node. kUnsupported: the kernel has no
// nodes.
Status CheckNumaNode(int node);

std::string DescriptorPath(int fd);  // "/proc/self/fd/7"

}  // namespace hearth::gms::internal
