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
  if (const uintptr_t address = TakeAnyHole(size, alignment); address != 0) {
    return address;
  }
  ASSIGN_OR_RETURN(const uintptr_t base, Reserve(size, alignment));
  return TakeHole(pieces_.at(base), size, alignment);
}

Result<uintptr_t> AddressArena::TakeAndMap(uint64_t size, UniqueFd piece, Access access) {
  const uint64_t alignment = std::max(space_.facts().granularity, uint64_t{1});
  uintptr_t address = TakeAnyHole(size, alignment);
  if (address == 0) {
    Result<uintptr_t> grown = Grow(size, piece, access);
    if (grown.ok() || !grown.status().Is(Code::kUnavailable)) {
      return grown;
    }
    ASSIGN_OR_RETURN(address, Take(size, alignment));
  }
  if (Status mapped = space_.Map(address, size, std::move(piece), access); !mapped.ok()) {
    (void)Give(address, size);
    return mapped;
  }
  return address;
}

// 0 when none fits.
uintptr_t AddressArena::TakeAnyHole(uint64_t size, uint64_t alignment) {
  for (auto& [base, piece] : pieces_) {
    if (const uintptr_t address = TakeHole(piece, size, alignment); address != 0) {
      return address;
    }
  }
  return 0;
}

// kUnavailable: there is no room to grow into.
Result<uintptr_t> AddressArena::Grow(uint64_t size, const UniqueFd& piece, Access access) {
  if (!may_grow_) {
    return UnavailableError("no room to grow");
  }
  Result<uintptr_t> address = space_.MapBehind(growing_, size, piece, access);
  if (!address.ok() && address.status().Is(Code::kUnavailable) && growing_ != 0) {
    growing_ = 0;  // somebody is in the way; there may be room elsewhere
    address = space_.MapBehind(0, size, piece, access);
  }
  if (!address.ok()) {
    may_grow_ = may_grow_ && !address.status().Is(Code::kUnavailable);
    return address;
  }
  growing_ = growing_ == 0 ? *address : growing_;
  pieces_[growing_].size += size;
  return address;
}

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
  growing_ = growing_ == base ? 0 : growing_;
  pieces_.erase(at);
  return space_.FreeReservation(base, bytes);
}

}  // namespace hearth::gms::internal
