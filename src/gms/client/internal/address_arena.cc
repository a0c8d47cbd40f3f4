#include "gms/client/internal/address_arena.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace hearth::gms::internal {
namespace {

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Joins a hole with those right before and behind it.
void AddHole(std::map<uintptr_t, uint64_t>& holes, uintptr_t address, uint64_t size) {
  auto at = holes.emplace(address, size).first;
  if (const auto next = std::next(at); next != holes.end() && address + size == next->first) {
    at->second += next->second;
    holes.erase(next);
  }
  if (at != holes.begin()) {
    const auto before = std::prev(at);
    if (before->first + before->second == address) {
      before->second += at->second;
      holes.erase(at);
    }
  }
}

}  // namespace

AddressArena::AddressArena(AddressSpace& space, uint64_t piece_bytes)
    : space_(space), piece_bytes_(piece_bytes) {}

Result<uintptr_t> AddressArena::Take(uint64_t size, uint64_t alignment) {
  for (auto& [base, piece] : pieces_) {
    if (const uintptr_t address = TakeHole(piece, size, alignment); address != 0) {
      return address;
    }
  }
  ASSIGN_OR_RETURN(const uintptr_t base, Reserve(size, alignment));
  return TakeHole(pieces_.at(base), size, alignment);
}

// 0 when none fits.
uintptr_t AddressArena::TakeHole(Piece& piece, uint64_t size, uint64_t alignment) {
  for (auto hole = piece.holes.begin(); hole != piece.holes.end(); ++hole) {
    const auto [begin, bytes] = *hole;
    const uintptr_t address = RoundUp(begin, alignment);
    if (address - begin > bytes || bytes - (address - begin) < size) {
      continue;
    }
    const uint64_t behind = bytes - (address - begin) - size;
    if (address == begin) {
      piece.holes.erase(hole);
    } else {
      hole->second = address - begin;
    }
    if (behind > 0) {
      piece.holes.emplace(address + size, behind);
    }
    return address;
  }
  return 0;
}

Result<uintptr_t> AddressArena::Reserve(uint64_t size, uint64_t alignment) {
  const uint64_t unit = std::max(space_.facts().granularity, uint64_t{1});
  uint64_t bytes = std::max(size, RoundUp(piece_bytes_, unit));
  Result<uintptr_t> base = space_.Reserve(bytes, alignment);
  if (!base.ok() && bytes > size) {
    bytes = size;  // a process with little address space gets along piece by piece
    base = space_.Reserve(bytes, alignment);
  }
  RETURN_IF_ERROR(base);
  Piece& piece = pieces_[*base];
  piece.size = bytes;
  piece.holes.emplace(*base, bytes);
  return *base;
}

uintptr_t AddressArena::ReservationEnd(uintptr_t address) const {
  const auto after = pieces_.upper_bound(address);
  CHECK(after != pieces_.begin()) << "no reservation holds the address";
  const auto& [base, piece] = *std::prev(after);
  return base + piece.size;
}

Status AddressArena::Give(uintptr_t address, uint64_t size) {
  auto at = pieces_.upper_bound(address);
  CHECK(at != pieces_.begin()) << "an address that no reservation holds is given back";
  --at;
  Piece& piece = at->second;
  AddHole(piece.holes, address, size);
  if (piece.holes.begin()->second != piece.size) {
    return {};
  }
  const uintptr_t base = at->first;
  const uint64_t bytes = piece.size;
  pieces_.erase(at);
  return space_.FreeReservation(base, bytes);
}

}  // namespace hearth::gms::internal
