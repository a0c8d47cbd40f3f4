#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "gms/client/internal/manager_state.h"

// What the manager keeps about its mappings, and the steps on the device.
namespace hearth::gms {

uint64_t MemoryManager::Impl::Align(uint64_t size) const {
  const uint64_t unit = space.facts().granularity;
  return (size + unit - 1) / unit * unit;
}

MemoryManager::Impl::Record& MemoryManager::Impl::Insert(Record record) {
  record.order = next_order++;
  if (!record.allocation_id.empty()) {
    by_id[record.allocation_id] = record.address;
  }
  // Mostly the highest so far: addresses are given out upwards.
  const uintptr_t address = record.address;
  return records.insert_or_assign(records.end(), address, std::move(record))->second;
}

void MemoryManager::Impl::Erase(uintptr_t address) {
  const auto at = records.find(address);
  by_id.erase(at->second.allocation_id);
  records.erase(at);
}

void MemoryManager::Impl::IndexIds() {
  by_id.clear();
  for (const auto& [address, record] : records) {
    if (!record.allocation_id.empty()) {
      by_id.emplace(record.allocation_id, address);
    }
  }
}

MemoryManager::Impl::Record* MemoryManager::Impl::FindById(const std::string& id) {
  const auto at = by_id.find(id);
  return at == by_id.end() ? nullptr : &records.at(at->second);
}

const MemoryManager::Impl::Record* MemoryManager::Impl::Holding(uintptr_t address) const {
  auto at = records.upper_bound(address);
  if (at == records.begin()) {
    return nullptr;
  }
  --at;
  return address < at->first + at->second.aligned_size ? &at->second : nullptr;
}

std::vector<MemoryManager::Impl::Record*> MemoryManager::Impl::Preserved() {
  std::vector<Record*> preserved;
  for (auto& [address, record] : records) {
    if (!record.mapped && !record.scratch) {
      preserved.push_back(&record);
    }
  }
  std::sort(preserved.begin(), preserved.end(),
            [](const Record* a, const Record* b) { return Earlier(*a, *b); });
  return preserved;
}

std::vector<Mapping> MemoryManager::Impl::BySlot() {
  std::vector<const Record*> all;
  for (const auto& [address, record] : records) {
    if (!record.scratch) {
      all.push_back(&record);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Record* a, const Record* b) { return Earlier(*a, *b); });
  std::vector<Mapping> mappings;
  mappings.reserve(all.size());
  for (const Record* record : all) {
    mappings.push_back(*record);
  }
  return mappings;
}

bool MemoryManager::Impl::HasMapped() const {
  return std::any_of(records.begin(), records.end(),
                     [](const auto& at) { return at.second.mapped && !at.second.scratch; });
}

bool MemoryManager::Impl::HasPreserved() const {
  return std::any_of(records.begin(), records.end(),
                     [](const auto& at) { return !at.second.mapped && !at.second.scratch; });
}

Status MemoryManager::Impl::Device(Status done) {
  device_failed = device_failed || !done.ok();
  return done;
}

Result<MemoryManager::Impl::Record*> MemoryManager::Impl::MapNew(const AllocationItem& allocation,
                                                                 uint64_t size, UniqueFd fd) {
  const auto aligned = static_cast<uint64_t>(allocation.aligned_size);
  if (aligned == 0 || aligned != Align(aligned)) {
    return InvalidError(fmt::format(
        "allocation {} has {} bytes, which is no multiple of this device's granularity of {}",
        allocation.allocation_id, aligned, space.facts().granularity));
  }
  const Result<uintptr_t> address = arena.TakeAndMap(aligned, std::move(fd), access());
  if (!address.ok()) {
    return Device(address.status().WithContext("map allocation " + allocation.allocation_id));
  }
  Record record;
  record.address = *address;
  record.mapped = true;
  record.access = access();
  record.size = size;
  record.aligned_size = record.reserved = aligned;
  record.allocation_id = allocation.allocation_id;
  record.tag = allocation.tag;
  record.slot = static_cast<uint64_t>(allocation.layout_slot);
  return &Insert(std::move(record));
}

Status MemoryManager::Impl::Map(Record& record, UniqueFd fd, Access wanted) {
  const Status mapped = space.Map(record.address, record.aligned_size, std::move(fd), wanted);
  if (!mapped.ok()) {
    return Device(mapped.WithContext("map allocation " + record.allocation_id));
  }
  record.mapped = true;
  record.access = wanted;
  return {};
}

Status MemoryManager::Impl::Unmap(Record& record) {
  if (!record.mapped) {
    return {};
  }
  RETURN_IF_ERROR(
      Device(space.Unmap(record.address, record.scratch ? record.reserved : record.aligned_size)));
  record.mapped = false;
  return {};
}

Status MemoryManager::Impl::Drop(uintptr_t address) {
  Record& record = records.at(address);
  RETURN_IF_ERROR(Unmap(record));
  const uint64_t reserved = record.reserved;
  Erase(address);
  return arena.Give(address, reserved);
}

// Neighbours that are mapped, from `at` on: a model's thousands of mappings lie one after another,
// and the kernel takes all of them in one call. `at` goes behind them.
MemoryManager::Impl::Neighbours MemoryManager::Impl::NextNeighbours(Records::iterator& at) {
  Neighbours run{.first = at, .begin = at->first, .end = at->first};
  const uintptr_t most = arena.ReservationEnd(at->first);
  for (; at != records.end() && at->first == run.end && run.end < most && at->second.mapped &&
         !at->second.scratch;
       ++at) {
    run.end += at->second.aligned_size;
  }
  return run;
}

Status MemoryManager::Impl::ProtectAll(Access wanted) {
  for (auto at = records.begin(); at != records.end();) {
    const Neighbours run = NextNeighbours(at);
    if (run.end == run.begin) {
      ++at;
      continue;
    }
    RETURN_IF_ERROR(Device(space.Protect(run.begin, run.end - run.begin, wanted)));
  }
  for (auto& [address, record] : records) {
    record.access = record.scratch ? record.access : wanted;
  }
  return {};
}

Status MemoryManager::Impl::UnmapAll() {
  RETURN_IF_ERROR(Device(space.Synchronize()));
  for (auto at = records.begin(); at != records.end();) {
    const Neighbours run = NextNeighbours(at);
    if (run.end == run.begin) {
      RETURN_IF_ERROR(Unmap(at->second));  // scratch
      ++at;
      continue;
    }
    RETURN_IF_ERROR(Device(space.Unmap(run.begin, run.end - run.begin)));
    for (auto unmapped = run.first; unmapped != at; ++unmapped) {
      unmapped->second.mapped = false;
    }
  }
  scratch_block.reset();
  return {};
}

}  // namespace hearth::gms
