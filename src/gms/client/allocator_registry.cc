#include "gms/client/allocator_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hearth::gms {
namespace {

// The framework allocates on the thread that builds the model; so the tag is the thread's.
std::string& ActiveTag() {
  thread_local std::string tag;
  return tag;
}

}  // namespace

AllocatorRegistry& AllocatorRegistry::Instance() {
  // Never destroyed: the framework gives blocks back while the process ends.
  static auto* const instance = new AllocatorRegistry;
  return *instance;
}

Status AllocatorRegistry::CheckMayAllocate(const Registration& r) {
  if (r.backing == Backing::kScratch) {
    return {};
  }
  if (r.memory->grant() != Grant::kRw) {
    return InvalidError(fmt::format("'{}' cannot back an allocator: its lease is not rw", r.tag));
  }
  if (r.memory->has_unmapped()) {
    return InvalidError(fmt::format(
        "'{}' cannot back an allocator: it has addresses that wait for memory; wake it first",
        r.tag));
  }
  return {};
}

Status AllocatorRegistry::Register(Registration registration) {
  RETURN_IF_ERROR(CheckMayAllocate(registration));
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Entry>& entry = entries_[registration.tag];
  if (entry == nullptr) {
    entry = std::make_shared<Entry>();
  } else if (entry->registration.memory != registration.memory ||
             entry->registration.device != registration.device) {
    return ConflictError(
        fmt::format("tag '{}' is registered with other memory (device {}): unregister it first",
                    registration.tag, entry->registration.device));
  }
  if (registration.backing == Backing::kSlabs && entry->slabs == nullptr) {
    entry->slabs = std::make_unique<SlabPool>(*registration.memory, registration.slabs);
  }
  entry->registration = std::move(registration);
  return {};
}

void AllocatorRegistry::Unregister(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  entries_.erase(tag);
}

std::shared_ptr<AllocatorRegistry::Entry> AllocatorRegistry::Find(const std::string& tag) const {
  const auto at = entries_.find(tag);
  return at == entries_.end() ? nullptr : at->second;
}

Result<std::string> AllocatorRegistry::Use(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  if (!tag.empty() && Find(tag) == nullptr) {
    return NotFoundError(fmt::format("no memory is registered under '{}'", tag));
  }
  return std::exchange(ActiveTag(), tag);
}

Result<uintptr_t> AllocatorRegistry::Take(Entry& entry, Backing backing, uint64_t size) {
  const Registration& r = entry.registration;
  switch (backing) {
    case Backing::kScratch:
      return r.memory->CreateScratch(size, r.tag);
    case Backing::kSlabs:
      return entry.slabs->Allocate(size);
    case Backing::kServer:
      break;
  }
  return r.memory->CreateMapping(size, r.tag);
}

Result<void*> AllocatorRegistry::Malloc(int64_t size, int device) {
  std::unique_lock lock(mutex_);
  const std::string tag = ActiveTag();
  const std::shared_ptr<Entry> entry = Find(tag);
  Result<uintptr_t> address = 0;
  Block block{.owner = entry, .tag = tag};
  if (entry == nullptr) {
    address = InvalidError(fmt::format("allocation of {} bytes without an active tag", size));
  } else if (entry->registration.device != device) {
    address = InvalidError(fmt::format("allocation on device {}, '{}' is on device {}", device, tag,
                                       entry->registration.device));
  } else if (size <= 0) {
    address = InvalidError(fmt::format("allocation of {} bytes: size must be > 0", size));
  } else {
    block.backing = entry->registration.backing;
    lock.unlock();  // the server may let us wait for memory; others may free meanwhile
    address = Take(*entry, block.backing, static_cast<uint64_t>(size));
    lock.lock();
  }
  if (!address.ok()) {
    failure_ = failure_.ok() ? address.status() : failure_;
    return address.status();
  }
  blocks_.insert_or_assign(*address, std::move(block));
  return reinterpret_cast<void*>(*address);
}

Status AllocatorRegistry::Free(void* block, int64_t size) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  std::shared_ptr<Entry> owner;
  Backing backing = Backing::kServer;
  {
    const std::lock_guard lock(mutex_);
    const auto at = blocks_.find(address);
    if (at == blocks_.end()) {
      return NotFoundError(fmt::format("{:#x} was not allocated here", address));
    }
    owner = at->second.owner.lock();
    backing = at->second.backing;
    blocks_.erase(at);
  }
  if (owner == nullptr) {
    return {};
  }
  return backing == Backing::kSlabs
             ? owner->slabs->Free(address, size > 0 ? static_cast<uint64_t>(size) : 0)
             : owner->registration.memory->DestroyMapping(address);
}

Status AllocatorRegistry::TakeFailure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, Status());
}

size_t AllocatorRegistry::live_blocks(const std::string& tag) const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(blocks_.begin(), blocks_.end(),
                                           [&](const auto& at) { return at.second.tag == tag; }));
}

SlabPool::Usage AllocatorRegistry::slab_usage(const std::string& tag) const {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Entry> entry = Find(tag);
  return entry == nullptr || entry->slabs == nullptr ? SlabPool::Usage{} : entry->slabs->usage();
}

}  // namespace hearth::gms
