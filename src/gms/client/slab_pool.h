#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gms/client/memory_manager.h"

namespace hearth::gms {

// Requests of up to `up_to` bytes are carved from server allocations of `slab` bytes. What is
// larger than every class gets an allocation of its own, of exactly its size.
struct SlabClass {
  uint64_t up_to = 0;
  uint64_t slab = 0;
};

struct SlabOptions {
  // Ascending. Small and large requests lie apart, so that a few long-lived small ones do not keep
  // gigabytes. One class {2 GiB, 2 GiB} is upstream's way.
  std::vector<SlabClass> classes = {{16ULL << 20, 128ULL << 20}, {256ULL << 20, 1ULL << 30}};
  std::string tag = "default";
};

// Many regions in few server allocations. First fit: slabs by ascending address, holes by ascending
// offset; neighbouring holes merge; a slab without regions is destroyed. Thread-safe.
class SlabPool {
 public:
  // `manager` must outlive the pool. Regions die with the manager's mappings.
  SlabPool(MemoryManager& manager, SlabOptions options);
  ~SlabPool();
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;

  // kInvalid "cannot create a mapping while GMS slabs are unmapped" while they are.
  Result<uintptr_t> Allocate(uint64_t size);
  // `size`: 0, or what was asked for: kInvalid "allocator free does not match the GMS mapping".
  // kNotFound for an address that is no region's.
  Status Free(uintptr_t address, uint64_t size = 0);
  bool Owns(uintptr_t address) const;

  struct Usage {
    size_t slabs = 0;
    size_t regions = 0;
    uint64_t requested_bytes = 0;  // what callers asked for
    uint64_t slab_bytes = 0;       // what the server holds for it
    uint64_t hole_bytes = 0;       // free inside slabs: committed with them
    uint64_t padding_bytes = 0;    // lost to rounding: requested + padding + holes = slabs
  };
  Usage usage() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::gms
