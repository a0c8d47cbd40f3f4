#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/status.h"
#include "gms/device/device.h"

namespace hearth::gms::internal {

struct Range {
  uintptr_t address = 0;
  uint64_t size = 0;
  uintptr_t end() const { return address + size; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Which addresses are reserved and what is mapped there: the rules of AddressSpace, whatever the
// device. Checks first, the owner acts, then it is entered. Not thread-safe.
class AddressBook {
 public:
  explicit AddressBook(uint64_t granularity) : granularity_(granularity) {}

  // `alignment` is a power of two and not below the granularity.
  Status CheckReserve(uint64_t size, uint64_t alignment) const;
  void Reserve(Range range) { reservations_.emplace(range.address, range.size); }
  // By `size` behind its end. kInvalid: no such reservation.
  Result<Range> CheckExtend(uintptr_t reservation, uint64_t size) const;
  void Extend(uintptr_t reservation, uint64_t size) { reservations_[reservation] += size; }
  Status CheckFree(Range range) const;
  void Free(Range range) { reservations_.erase(range.address); }

  Status CheckMap(Range range) const;
  void Map(Range range, Access access) {
    mappings_[range.address] = {.size = range.size, .access = access};
  }
  // The whole mappings in the range. kInvalid: outside of a reservation, or it cuts a mapping.
  Result<std::vector<Range>> Mapped(Range range) const;
  void Unmap(Range range);
  // The range is covered by whole mappings.
  Status CheckProtect(Range range) const;
  void Protect(Range range, Access access);
  // Every byte is mapped, for writing when `access` says so; need not be aligned.
  Status CheckTouch(Range range, Access access) const;

  std::vector<Range> Reservations() const;

 private:
  struct Mapping {
    uint64_t size = 0;
    Access access = Access::kRead;
  };
  using Mappings = std::map<uintptr_t, Mapping>;

  Status CheckAligned(Range range) const;
  Status CheckReserved(Range range) const;
  Mappings::const_iterator FirstTouching(Range range) const;

  uint64_t granularity_;
  std::map<uintptr_t, uint64_t> reservations_;
  Mappings mappings_;
};

}  // namespace hearth::gms::internal
