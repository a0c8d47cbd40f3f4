#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "gms/device/device.h"

namespace hearth::gms::internal {

// Hands out parts of address space, one after another, from few large reservations. Not
// thread-safe.
class AddressArena {
 public:
  // `space` must outlive the arena. `piece_bytes`: how much is reserved at a time, at least.
  AddressArena(AddressSpace& space, uint64_t piece_bytes);
  // Reservations that are still there stay until `space` goes: somebody may point into them.
  ~AddressArena() = default;
  AddressArena(const AddressArena&) = delete;
  AddressArena& operator=(const AddressArena&) = delete;

  // The lowest hole that fits, else a new reservation. `size` is a multiple of the granularity,
  // `alignment` a power of two, at least that.
  Result<uintptr_t> Take(uint64_t size, uint64_t alignment);
  // The same with a piece behind it: in a hole that fits, else at the end of a reservation that
  // grows, else in a new one, which costs the most. The descriptor is used up.
  Result<uintptr_t> TakeAndMap(uint64_t size, UniqueFd piece, Access access);
  // Back again; a reservation with nothing left in it is given up.
  Status Give(uintptr_t address, uint64_t size);
  // Where the reservation ends that holds this address.
  uintptr_t ReservationEnd(uintptr_t address) const;

 private:
  struct Piece {
    uint64_t size = 0;
    std::map<uintptr_t, uint64_t> holes;
  };
  Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment);
  static uintptr_t TakeHole(Piece& piece, uint64_t size, uint64_t alignment);
  uintptr_t TakeAnyHole(uint64_t size, uint64_t alignment);
  Result<uintptr_t> Grow(uint64_t size, const UniqueFd& piece, Access access);

  AddressSpace& space_;
  uint64_t piece_bytes_;
  std::map<uintptr_t, Piece> pieces_;
  uintptr_t growing_ = 0;  // the reservation that does; 0: none
  bool may_grow_ = true;
};

}  // namespace hearth::gms::internal
