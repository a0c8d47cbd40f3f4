#include <fcntl.h>
#include <fmt/format.h>

#include <bit>
#include <cerrno>

#include "gms/client/internal/manager_state.h"

// Scratch: addresses of full size over one block of memory, for engines that must lay out their
// tensors before they own what goes into them.
namespace hearth::gms {

Status MemoryManager::Impl::CheckScratchBlock() const {
  const uint64_t block = options.scratch_block;
  const uint64_t unit = space.facts().granularity;
  if (!std::has_single_bit(block) || block < unit || block % unit != 0) {
    return InvalidError(fmt::format(
        "a scratch block of {} bytes: it must be a power of two and a multiple of the granularity "
        "of {}",
        block, unit));
  }
  return {};
}

Result<uintptr_t> MemoryManager::Impl::CreateScratch(uint64_t size, const std::string& tag) {
  RETURN_IF_ERROR(CheckScratchBlock());
  const uint64_t block = options.scratch_block;
  if (size == 0 || size > static_cast<uint64_t>(INT64_MAX) - block) {
    return InvalidError(fmt::format("cannot map {} bytes of scratch: size must be > 0", size));
  }
  Record record;
  record.size = size;
  record.aligned_size = Align(size);
  record.reserved = (size + block - 1) / block * block;
  record.tag = tag;
  record.scratch = true;
  ASSIGN_OR_RETURN(record.address, arena.Take(record.reserved, block));
  if (Status mapped = MapScratch(record); !mapped.ok()) {
    (void)arena.Give(record.address, record.reserved);
    return mapped;
  }
  return Insert(std::move(record)).address;
}

// Every piece of the range shows the same block.
Status MemoryManager::Impl::MapScratch(Record& record) {
  const uint64_t block = options.scratch_block;
  if (!scratch_block.valid()) {
    ASSIGN_OR_RETURN(scratch_block, space.CreateLocal(block));
  }
  for (uint64_t offset = 0; offset < record.reserved; offset += block) {
    UniqueFd piece(::fcntl(scratch_block.get(), F_DUPFD_CLOEXEC, 0));
    Status mapped = piece.valid() ? space.Map(record.address + offset, block, std::move(piece),
                                              Access::kReadWrite)
                                  : Status::FromErrno(errno, "duplicate the scratch block");
    if (!mapped.ok()) {
      (void)space.Unmap(record.address, record.reserved);
      return Device(mapped);
    }
  }
  record.mapped = true;
  record.access = Access::kReadWrite;
  return {};
}

}  // namespace hearth::gms
