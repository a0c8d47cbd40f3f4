#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seeded_hash.h"

namespace hearth::gms {

// A device's name for a piece of physical memory that the server owns. 0 is none.
using MemoryHandle = uint64_t;

struct Allocation {
  std::string id;
  uint64_t size = 0;          // as the client sent it
  uint64_t aligned_size = 0;  // a multiple of the device's granularity
  std::string tag;
  uint64_t slot = 0;  // order of creation; gaps after frees
  MemoryHandle memory = 0;
};

struct Metadata {
  std::string allocation_id;
  uint64_t offset_bytes = 0;
  std::string value;  // opaque bytes
};

// Keys that begin so describe contents, not shape: where an engine keeps the index of what it has
// cached, or the geometry it wrote with. They are in no hash, and a writer of a sealed layout may
// put and delete them.
inline constexpr std::string_view kEngineKeyPrefix = "gms.engine/";
inline bool IsEngineKey(std::string_view key) { return key.starts_with(kEngineKeyPrefix); }

// How much one layout may hold; what is above is refused as kExhausted.
struct LayoutLimits {
  size_t allocations = 1U << 20;
  size_t metadata_keys = 1U << 20;
  uint64_t metadata_bytes = 256ULL << 20;  // keys and values
};

// The allocations and the metadata that one writer built. Pure data with its rules; memory itself
// is somebody else's. No call but the hashes and BySlot takes longer because there is more in it
// (but for the logarithm of a sorted map). Errors carry a reason of refusals.h. Not thread-safe.
class Layout {
 public:
  explicit Layout(LayoutLimits limits = {}) : limits_(limits) {}
  Layout(Layout&&) = default;
  Layout& operator=(Layout&&) = default;
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  // Takes the next slot. kAlreadyExists for an id that is there; kInvalid for an empty one, or a
  // size of 0 or above the aligned one.
  Result<const Allocation*> Add(std::string id, uint64_t size, uint64_t aligned_size,
                                std::string tag, MemoryHandle memory);
  // Whether an allocation of that id would be taken. Same errors.
  Status MayAdd(std::string_view id) const;
  const Allocation* Find(std::string_view id) const;  // null when there is none
  // The memory to release, with its metadata gone; 0 when there is no such allocation.
  MemoryHandle Remove(std::string_view id);
  // By slot. The pointers live until the layout changes.
  std::vector<const Allocation*> BySlot() const;
  size_t allocation_count() const { return by_slot_.size(); }
  uint64_t total_bytes() const { return total_bytes_; }  // of aligned sizes

  // Overwrites. kNotFound "Unknown allocation: <id>"; kInvalid "out of range for allocation" unless
  // offset < aligned size.
  Status Put(std::string key, Metadata metadata);
  const Metadata* Get(std::string_view key) const;
  bool Delete(std::string_view key);
  const std::map<std::string, Metadata, std::less<>>& metadata() const { return metadata_; }

  // SHA-256 in hex over upstream's byte stream: allocations by rank, then metadata by key.
  // Independent of ids and gaps. Two different layouts can be made to agree in it, because nothing
  // stands between two records; clients know it, so it stays.
  std::string Hash() const;
  // The same facts with every length written down: equal only for equal layouts.
  std::string StrictHash() const;

 private:
  struct Entry {
    Allocation allocation;
    SeededSet<std::string_view> keys;  // of metadata_, whose strings stay where they are
  };
  Entry* EntryOf(std::string_view id);
  Status MayPut(std::string_view key, const Metadata& metadata) const;
  std::vector<uint64_t> SlotsInOrder() const;
  void Unlink(const Metadata& metadata, std::string_view key);

  LayoutLimits limits_;
  std::map<uint64_t, Entry> by_slot_;
  SeededMap<std::string_view, Entry*> by_id_;  // the views are of Entry::allocation.id
  std::map<std::string, Metadata, std::less<>> metadata_;
  uint64_t next_slot_ = 0;
  uint64_t total_bytes_ = 0;
  uint64_t metadata_bytes_ = 0;
};

}  // namespace hearth::gms
