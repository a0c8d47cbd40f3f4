#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "disk/digest.h"

namespace hearth::gms::storage {

inline constexpr uint64_t kDefaultChunkBytes = 1ULL << 20;
inline constexpr uint64_t kMinChunkBytes = 4096;
inline constexpr uint64_t kMaxChunkBytes = 16ULL << 20;

struct ChunkRecord {
  disk::Digest digest;
  bool zero = false;  // nothing but zeros: not written, the file has a hole there

  friend bool operator==(const ChunkRecord&, const ChunkRecord&) = default;
};

// What each chunk of an artifact holds. Every allocation is cut into chunks of `chunk_bytes`, the
// last one shorter; they are numbered through in the order of the allocations. On disk: chunks.bin.
struct ChunkTable {
  uint64_t chunk_bytes = kDefaultChunkBytes;
  std::vector<ChunkRecord> chunks;
};

// How many chunks an allocation of that size has.
uint64_t ChunkCount(uint64_t bytes, uint64_t chunk_bytes);

std::string WriteChunkTable(const ChunkTable& table);
// kInvalid when it is not one, kDataLoss when it is cut off.
Result<ChunkTable> ReadChunkTable(std::string_view bytes);

}  // namespace hearth::gms::storage
