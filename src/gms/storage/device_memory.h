#pragma once

#include <memory>

#include "base/unique_fd.h"
#include "gms/device/device.h"
#include "gms/storage/memory.h"

namespace hearth::gms::storage {

// The memory of a piece that a server handed out, reached in the way that moves bytes fastest:
// small pages that are to be filled by write() to the descriptor, other memory of this machine
// mapped, an accelerator's mapped and copied. Unmaps when it goes. `space` must outlive it.
// Errors are those of the address space.
Result<std::unique_ptr<Memory>> ReachMemory(AddressSpace& space, UniqueFd piece, uint64_t bytes,
                                            Access access);

}  // namespace hearth::gms::storage
