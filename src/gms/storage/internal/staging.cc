#include "gms/storage/internal/staging.h"

#include <sys/mman.h>

#include <cstring>

namespace hearth::gms::storage {

std::unique_ptr<StagingSlots> StagingSlots::Make(size_t count, uint64_t slot_bytes,
                                                 AddressSpace* pin) {
  const size_t bytes = count * slot_bytes;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish
  std::memset(memory, 0, bytes);            // faults now, not while a disk waits
  if (pin != nullptr && !pin->PinHost(memory, bytes).ok()) {
    pin = nullptr;  // copies are slower and right all the same
  }
  return std::unique_ptr<StagingSlots>(
      new StagingSlots(static_cast<std::byte*>(memory), count, slot_bytes, pin));
}

StagingSlots::StagingSlots(std::byte* memory, size_t count, uint64_t slot_bytes, AddressSpace* pin)
    : memory_(memory), count_(count), slot_bytes_(slot_bytes), pin_(pin) {}

StagingSlots::~StagingSlots() {
  if (pin_ != nullptr) {
    pin_->UnpinHost(memory_, count_ * slot_bytes_);
  }
  ::munmap(memory_, count_ * slot_bytes_);
}

}  // namespace hearth::gms::storage
