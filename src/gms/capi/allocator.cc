#include <cstdio>

#include "gms/capi/client.h"
#include "gms/client/allocator_registry.h"

// What stands behind the pluggable allocator.
using hearth::InvalidError;
using hearth::Result;
using hearth::Status;
using hearth::gms::AllocatorRegistry;
using hearth::gms::MemoryManager;
using hearth::gms::capi::Guarded;

namespace {

Result<AllocatorRegistry::Backing> BackingOf(gms_backing backing) {
  switch (backing) {
    case GMS_BACKING_SERVER:
      return AllocatorRegistry::Backing::kServer;
    case GMS_BACKING_SLABS:
      return AllocatorRegistry::Backing::kSlabs;
    case GMS_BACKING_SCRATCH:
      return AllocatorRegistry::Backing::kScratch;
  }
  return InvalidError("no such backing: " + std::to_string(backing));
}

void Print(const char* what, const Status& status) {
  std::fprintf(stderr, "gms allocator: %s: %s\n", what, status.ToString().c_str());
}

}  // namespace

extern "C" {

gms_code gms_allocator_register(gms_client* client, const char* tag, gms_backing backing) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(const auto wanted, BackingOf(backing));
    if (wanted == AllocatorRegistry::Backing::kScratch) {
      RETURN_IF_ERROR(client->memory->Open());
    }
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    // Keeps the engine's memory, of which the manager is a part.
    const std::shared_ptr<MemoryManager> memory(client->memory, manager);
    return AllocatorRegistry::Instance().Register({.tag = tag,
                                                   .device = client->device,
                                                   .memory = memory,
                                                   .backing = wanted,
                                                   .slabs = {.tag = client->tag}});
  });
}

void gms_allocator_unregister(const char* tag) { AllocatorRegistry::Instance().Unregister(tag); }

gms_code gms_allocator_use(const char* tag) {
  return Guarded([&] {
    return hearth::ToStatus(AllocatorRegistry::Instance().Use(tag == nullptr ? "" : tag));
  });
}

gms_code gms_allocator_failure(void) {
  return Guarded([] { return AllocatorRegistry::Instance().TakeFailure(); });
}

size_t gms_allocator_live_blocks(const char* tag) {
  return AllocatorRegistry::Instance().live_blocks(tag);
}

void* gms_allocator_malloc(int64_t size, int device) {
  void* block = nullptr;
  Guarded([&]() -> Status {
    const Result<void*> made = AllocatorRegistry::Instance().Malloc(size, device);
    if (made.ok()) {
      block = *made;
    } else {
      Print("malloc", made.status());
    }
    return hearth::ToStatus(made);
  });
  return block;
}

void gms_allocator_free(void* block, int64_t size) {
  if (block == nullptr) {
    return;
  }
  Guarded([&] {
    Status freed = AllocatorRegistry::Instance().Free(block, size);
    if (!freed.ok()) {
      Print("free", freed);
    }
    return freed;
  });
}

}  // extern "C"
