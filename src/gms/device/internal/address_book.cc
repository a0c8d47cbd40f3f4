#include "gms/device/internal/address_book.h"

#include <fmt/format.h>

namespace hearth::gms::internal {
namespace {

std::string Name(Range range) { return fmt::format("[{:#x}, +{})", range.address, range.size); }

}  // namespace

Status AddressBook::CheckAligned(Range range) const {
  if (range.size == 0 || range.size % granularity_ != 0 || range.address % granularity_ != 0 ||
      range.end() < range.address) {
    return InvalidError(fmt::format("addresses {} are not whole steps of the granularity {}",
                                    Name(range), granularity_));
  }
  return Status::Ok();
}

Status AddressBook::CheckReserved(Range range) const {
  RETURN_IF_ERROR(CheckAligned(range));
  auto after = reservations_.upper_bound(range.address);
  if (after != reservations_.begin()) {
    auto [address, size] = *std::prev(after);
    if (range.end() <= address + size) {
      return Status::Ok();
    }
  }
  return InvalidError(fmt::format("addresses {} are not within one reservation", Name(range)));
}

AddressBook::Mappings::const_iterator AddressBook::FirstTouching(Range range) const {
  auto at = mappings_.upper_bound(range.address);
  if (at != mappings_.begin()) {
    auto before = std::prev(at);
    if (before->first + before->second.size > range.address) {
      return before;
    }
  }
  return at != mappings_.end() && at->first < range.end() ? at : mappings_.end();
}

Status AddressBook::CheckReserve(uint64_t size, uint64_t alignment) const {
  if (size == 0 || size % granularity_ != 0 || alignment < granularity_ ||
      (alignment & (alignment - 1)) != 0 || size + alignment < size) {
    return InvalidError(fmt::format(
        "cannot reserve {} bytes aligned to {}: the size is a multiple of the granularity {}, the "
        "alignment a power of two not below it",
        size, alignment, granularity_));
  }
  return Status::Ok();
}

Result<Range> AddressBook::CheckExtend(uintptr_t reservation, uint64_t size) const {
  const auto found = reservations_.find(reservation);
  if (found == reservations_.end()) {
    return InvalidError(fmt::format("there is no reservation at {:#x}", reservation));
  }
  const Range range{reservation + found->second, size};
  RETURN_IF_ERROR(CheckAligned(range));
  return range;
}

Status AddressBook::CheckFree(Range range) const {
  auto found = reservations_.find(range.address);
  if (found == reservations_.end() || found->second != range.size) {
    return InvalidError(fmt::format("addresses {} are not a reservation", Name(range)));
  }
  if (FirstTouching(range) != mappings_.end()) {
    return ConflictError(
        fmt::format("the reservation {} still has memory behind it: unmap first", Name(range)));
  }
  return Status::Ok();
}

Status AddressBook::CheckMap(Range range) const {
  RETURN_IF_ERROR(CheckReserved(range));
  if (FirstTouching(range) != mappings_.end()) {
    return AlreadyExistsError(
        fmt::format("addresses {} already have memory behind them: unmap first", Name(range)));
  }
  return Status::Ok();
}

Result<std::vector<Range>> AddressBook::Mapped(Range range) const {
  RETURN_IF_ERROR(CheckReserved(range));
  std::vector<Range> found;
  for (auto at = FirstTouching(range); at != mappings_.end() && at->first < range.end(); ++at) {
    Range mapping{at->first, at->second.size};
    if (mapping.address < range.address || mapping.end() > range.end()) {
      return InvalidError(
          fmt::format("addresses {} cut the mapping {}", Name(range), Name(mapping)));
    }
    found.push_back(mapping);
  }
  return found;
}

void AddressBook::Unmap(Range range) {
  mappings_.erase(mappings_.lower_bound(range.address), mappings_.lower_bound(range.end()));
}

Status AddressBook::CheckProtect(Range range) const {
  ASSIGN_OR_RETURN(std::vector<Range> mapped, Mapped(range));
  uint64_t covered = 0;
  for (const Range& mapping : mapped) {
    covered += mapping.size;
  }
  if (covered != range.size) {
    return InvalidError(fmt::format("addresses {} have no memory behind all of them", Name(range)));
  }
  return Status::Ok();
}

void AddressBook::Protect(Range range, Access access) {
  for (auto at = mappings_.lower_bound(range.address);
       at != mappings_.end() && at->first < range.end(); ++at) {
    at->second.access = access;
  }
}

Status AddressBook::CheckTouch(Range range, Access access) const {
  uintptr_t reached = range.address;
  for (auto at = FirstTouching(range);
       at != mappings_.end() && reached < range.end() && at->first <= reached; ++at) {
    if (access == Access::kReadWrite && at->second.access == Access::kRead) {
      return Status(Code::kPermissionDenied,
                    fmt::format("addresses {} are mapped for reading only", Name(range)));
    }
    reached = at->first + at->second.size;
  }
  if (reached < range.end() || range.end() < range.address) {
    return InvalidError(fmt::format("addresses {} have no memory behind all of them", Name(range)));
  }
  return Status::Ok();
}

std::vector<Range> AddressBook::Reservations() const {
  std::vector<Range> all;
  for (auto [address, size] : reservations_) {
    all.push_back({address, size});
  }
  return all;
}

}  // namespace hearth::gms::internal
