#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/device/device.h"

namespace hearth::gms::storage {

// The memory of one allocation as a transfer reaches it. Thread-safe for ranges that do not
// overlap.
class Memory {
 public:
  virtual ~Memory() = default;
  // Where disk and processor reach it directly; null: bytes go through Put and Get.
  virtual std::byte* address() const { return nullptr; }
  // What nobody has written yet reads as zeros.
  virtual bool zero_when_fresh() const = 0;
  virtual Status Put(uint64_t offset, const std::byte* from, uint64_t size) = 0;
  virtual Status Get(uint64_t offset, std::byte* to, uint64_t size) = 0;
};

// Mapped memory of this machine; the mapping must outlive it. The choice for huge pages and for
// everything that is there already.
std::unique_ptr<Memory> MappedMemory(void* address, bool zero_when_fresh);
// A memfd that is not mapped at all: write() allocates its pages without clearing them first and
// without a fault for each, which is the cheapest way to fill fresh small pages; read() needs no
// mapping that has to be taken away again.
std::unique_ptr<Memory> DescriptorMemory(UniqueFd fd);
// Memory of an accelerator, reached by copies. Both must outlive it.
std::unique_ptr<Memory> CopiedMemory(AddressSpace& space, uintptr_t address);
// Takes everything and keeps nothing: for reading an artifact only to verify it.
Memory& NoMemory();

// Whether the descriptor is of huge pages, which cannot be written with write().
bool IsHugePages(int fd);

}  // namespace hearth::gms::storage
