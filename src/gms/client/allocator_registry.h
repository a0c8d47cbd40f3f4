#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "gms/client/memory_manager.h"
#include "gms/client/slab_pool.h"

namespace hearth::gms {

// What PyTorch's pluggable allocator calls: takes blocks from the memory that is registered under
// the calling thread's active tag, and gives each block back to whoever made it, whatever is active
// then. Thread-safe.
class AllocatorRegistry {
 public:
  enum class Backing : uint8_t {
    kServer,   // every block an allocation of the server
    kSlabs,    // blocks carved from few large ones
    kScratch,  // addresses without memory of their own, until the memory's PrepareScratch...
  };
  struct Registration {
    std::string tag;
    int device = 0;
    std::shared_ptr<MemoryManager> memory;  // shared with the engine: whoever goes last frees it
    Backing backing = Backing::kServer;
    SlabOptions slabs;
  };

  // The one of this process: the allocator's C functions have no other way to find it.
  static AllocatorRegistry& Instance();

  // The same memory and device again is fine and changes the backing. kConflict when the tag is
  // another's; kInvalid for memory that sleeps, or that is not ours to write (scratch excepted).
  Status Register(Registration registration);
  // Blocks that are left stay mapped; giving them back does nothing any more.
  void Unregister(const std::string& tag);
  // Makes a tag active in this thread until the next call; empty: none. The one before.
  // kNotFound for a tag that is not registered.
  Result<std::string> Use(const std::string& tag);

  // kInvalid without an active tag or on another device.
  Result<void*> Malloc(int64_t size, int device);
  // kNotFound for an address that is nobody's.
  Status Free(void* block, int64_t size);
  // The first failure of Malloc since the last call: what an engine asks at a safe point, because
  // the framework tells only that memory ran out.
  Status TakeFailure();
  size_t live_blocks(const std::string& tag) const;
  SlabPool::Usage slab_usage(const std::string& tag) const;  // zeros for other backings

 private:
  struct Entry {
    Registration registration;
    std::unique_ptr<SlabPool> slabs;
  };
  struct Block {
    std::weak_ptr<Entry> owner;
    std::string tag;
    Backing backing = Backing::kServer;
  };
  std::shared_ptr<Entry> Find(const std::string& tag) const;
  static Result<uintptr_t> Take(Entry& entry, Backing backing, uint64_t size);
  static Status CheckMayAllocate(const Registration& registration);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::map<uintptr_t, Block> blocks_;
  Status failure_;
};

}  // namespace hearth::gms
