#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "disk/digest.h"

namespace hearth::snapshot {

inline constexpr std::string_view kContentsFile = "contents.json";
inline constexpr uint64_t kDefaultChunkBytes = 1ULL << 20;

struct Chunk {
  disk::Digest digest;
  bool zero = false;  // nothing but zeros: the file has a hole there

  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct StoredFile {
  std::string name;
  uint64_t bytes = 0;
  std::vector<Chunk> chunks;  // each of `chunk_bytes`, the last one shorter

  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};

// The memory of processes, as CRIU's page files hold it: large, and verified by whoever restores
// from it. All other files are verified before.
inline bool IsPageFile(const StoredFile& file) { return file.name.starts_with("pages-"); }

// What every file of an artifact holds, except the manifest and this table itself, which the
// manifest holds the digest of.
struct Contents {
  uint64_t chunk_bytes = kDefaultChunkBytes;
  std::vector<StoredFile> files;  // by name

  uint64_t TotalBytes() const;
  const StoredFile* Find(std::string_view name) const;
};

uint64_t ChunkCount(uint64_t bytes, uint64_t chunk_bytes);

// A file of an artifact lies in its directory: no slash, no leading dot, nothing that cannot be
// printed.
Status CheckFileName(std::string_view name);

std::string WriteContents(const Contents& contents);
// kInvalid names what is wrong. What comes out is consistent: names are such, sorted and different,
// and each file has the chunks that its size needs.
Result<Contents> ReadContents(std::string_view text);

}  // namespace hearth::snapshot
