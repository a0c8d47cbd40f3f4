#include "gms/client/slab_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace hearth::gms {
namespace {

struct Region {
  uint64_t requested = 0;
  uint64_t aligned = 0;
};

struct Slab {
  uint64_t size = 0;
  size_t size_class = 0;  // one past the last: an allocation of its own
  std::map<uintptr_t, uint64_t> holes;
  std::map<uintptr_t, Region> regions;

  // The lowest hole that fits; 0 when none does.
  uintptr_t Take(uint64_t bytes) {
    const auto hole = std::find_if(holes.begin(), holes.end(),
                                   [&](const auto& at) { return at.second >= bytes; });
    if (hole == holes.end()) {
      return 0;
    }
    const auto [address, free] = *hole;
    holes.erase(hole);
    if (free > bytes) {
      holes.emplace(address + bytes, free - bytes);
    }
    return address;
  }

  void Give(uintptr_t address, uint64_t bytes) {
    auto at = holes.emplace(address, bytes).first;
    if (const auto next = std::next(at); next != holes.end() && address + bytes == next->first) {
      at->second += next->second;
      holes.erase(next);
    }
    if (at != holes.begin() && std::prev(at)->first + std::prev(at)->second == address) {
      std::prev(at)->second += at->second;
      holes.erase(at);
    }
  }
};

}  // namespace

struct SlabPool::Impl {
  MemoryManager& manager;
  SlabOptions options;
  mutable std::mutex mutex;
  std::map<uintptr_t, Slab> slabs;

  size_t ClassOf(uint64_t aligned) const {
    const auto fits = std::find_if(options.classes.begin(), options.classes.end(),
                                   [&](const SlabClass& c) { return aligned <= c.up_to; });
    return static_cast<size_t>(fits - options.classes.begin());
  }
  uint64_t Align(uint64_t size) const {
    const uint64_t unit = manager.granularity();
    return (size + unit - 1) / unit * unit;
  }
  Result<uintptr_t> Place(uint64_t size, uint64_t aligned);
  Result<Slab*> AddSlab(size_t size_class, uint64_t aligned);
  std::map<uintptr_t, Slab>::iterator Holding(uintptr_t address);
};

SlabPool::SlabPool(MemoryManager& manager, SlabOptions options)
    : impl_(new Impl{.manager = manager, .options = std::move(options)}) {}
SlabPool::~SlabPool() = default;

Result<uintptr_t> SlabPool::Allocate(uint64_t size) {
  const std::lock_guard lock(impl_->mutex);
  if (size == 0 || size > static_cast<uint64_t>(INT64_MAX) - impl_->manager.granularity()) {
    return InvalidError(fmt::format("cannot allocate {} bytes: size must be > 0", size));
  }
  if (impl_->manager.has_unmapped()) {
    return InvalidError("cannot create a mapping while GMS slabs are unmapped");
  }
  return impl_->Place(size, impl_->Align(size));
}

Result<uintptr_t> SlabPool::Impl::Place(uint64_t size, uint64_t aligned) {
  const size_t size_class = ClassOf(aligned);
  const Region region{.requested = size, .aligned = aligned};
  for (auto& [base, slab] : slabs) {
    if (slab.size_class != size_class) {
      continue;
    }
    if (const uintptr_t address = slab.Take(aligned); address != 0) {
      slab.regions.emplace(address, region);
      return address;
    }
  }
  ASSIGN_OR_RETURN(Slab* const slab, AddSlab(size_class, aligned));
  const uintptr_t address = slab->Take(aligned);
  slab->regions.emplace(address, region);
  return address;
}

Result<Slab*> SlabPool::Impl::AddSlab(size_t size_class, uint64_t aligned) {
  const bool own = size_class == options.classes.size();
  const uint64_t bytes = own ? aligned : std::max(aligned, Align(options.classes[size_class].slab));
  ASSIGN_OR_RETURN(const uintptr_t base, manager.CreateMapping(bytes, options.tag));
  Slab& slab = slabs[base];
  slab.size = bytes;
  slab.size_class = size_class;
  slab.holes.emplace(base, bytes);
  return &slab;
}

std::map<uintptr_t, Slab>::iterator SlabPool::Impl::Holding(uintptr_t address) {
  auto at = slabs.upper_bound(address);
  if (at == slabs.begin()) {
    return slabs.end();
  }
  --at;
  return address < at->first + at->second.size ? at : slabs.end();
}

Status SlabPool::Free(uintptr_t address, uint64_t size) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->Holding(address);
  if (at == impl_->slabs.end() || !at->second.regions.contains(address)) {
    return NotFoundError(fmt::format("{:#x} is no region of this pool", address));
  }
  Slab& slab = at->second;
  const Region region = slab.regions.at(address);
  if (size != 0 && size != region.requested) {
    return InvalidError(
        fmt::format("allocator free does not match the GMS mapping: {} bytes at {:#x}, {} were "
                    "asked for",
                    size, address, region.requested));
  }
  slab.regions.erase(address);
  slab.Give(address, region.aligned);
  if (!slab.regions.empty()) {
    return {};
  }
  const uintptr_t base = at->first;
  impl_->slabs.erase(at);
  return impl_->manager.DestroyMapping(base);
}

bool SlabPool::Owns(uintptr_t address) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->Holding(address) != impl_->slabs.end();
}

SlabPool::Usage SlabPool::usage() const {
  const std::lock_guard lock(impl_->mutex);
  Usage usage{.slabs = impl_->slabs.size()};
  for (const auto& [base, slab] : impl_->slabs) {
    usage.regions += slab.regions.size();
    usage.slab_bytes += slab.size;
    for (const auto& [address, region] : slab.regions) {
      usage.requested_bytes += region.requested;
      usage.padding_bytes += region.aligned - region.requested;
    }
    for (const auto& [address, bytes] : slab.holes) {
      usage.hole_bytes += bytes;
    }
  }
  return usage;
}

}  // namespace hearth::gms
