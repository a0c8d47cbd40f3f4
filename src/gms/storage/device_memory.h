#pragma once

#include <memory>

#include "base/unique_fd.h"
#include "gms/device/device.h"
#include "gms/storage/memory.h"

namespace hearth::gms::storage {

// The memory of a piece that a server handed out, reached in the way that moves bytes fastest:
// small pages by read() and write() of the descriptor, because mapping them, giving each to the
// disk and unmapping them takes longer than one copy; huge pages mapped; an accelerator's mapped
// and copied. Unmaps when it goes. `space` must outlive it. Errors are those of the address space.
Result<std::unique_ptr<Memory>> ReachMemory(AddressSpace& space, UniqueFd piece, uint64_t bytes,
                                            Access access);

}  // namespace hearth::gms::storage
