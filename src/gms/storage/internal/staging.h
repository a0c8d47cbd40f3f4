#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gms/device/device.h"

namespace hearth::gms::storage {

// Slots of host memory that bytes pass through, all of one size, page-aligned, touched, and pinned
// when an address space is given.
class StagingSlots {
 public:
  // Null when there is no memory.
  static std::unique_ptr<StagingSlots> Make(size_t count, uint64_t slot_bytes, AddressSpace* pin);
  ~StagingSlots();
  StagingSlots(const StagingSlots&) = delete;
  StagingSlots& operator=(const StagingSlots&) = delete;

  std::byte* slot(size_t index) const { return memory_ + index * slot_bytes_; }
  size_t count() const { return count_; }
  uint64_t slot_bytes() const { return slot_bytes_; }

 private:
  StagingSlots(std::byte* memory, size_t count, uint64_t slot_bytes, AddressSpace* pin);
  std::byte* memory_;
  size_t count_;
  uint64_t slot_bytes_;
  AddressSpace* pin_;
};

}  // namespace hearth::gms::storage
