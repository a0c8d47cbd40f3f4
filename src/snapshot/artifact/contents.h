#pragma once

#include <cstdint>
#include <optional>
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

// How the chunks of a file lie in it when they are compressed, each by itself with zstd: one behind
// the other, each at a multiple of kPackedAlignment, with zeros up to the next one.
class Packing {
 public:
  // The next chunk, of so many bytes when it is compressed: none for zeros, all when it is kept as
  // it is.
  void Add(uint64_t plain_bytes, uint32_t packed_bytes);

  uint64_t plain_bytes() const { return plain_bytes_; }  // of all that was compressed
  uint64_t file_bytes() const { return file_bytes_; }    // of what came out, with what lies between
  const std::vector<uint32_t>& sizes() const { return sizes_; }
  uint64_t OffsetOf(uint64_t chunk) const { return offsets_[chunk]; }

  friend bool operator==(const Packing&, const Packing&) = default;

 private:
  uint64_t plain_bytes_ = 0;
  uint64_t file_bytes_ = 0;
  std::vector<uint32_t> sizes_;
  std::vector<uint64_t> offsets_;
};
inline constexpr uint64_t kPackedAlignment = 4096;

struct StoredFile {
  std::string name;
  uint64_t bytes = 0;
  // Each of `chunk_bytes`, the last one shorter. Digests are of what is in the file.
  std::vector<Chunk> chunks;
  std::optional<Packing> packing;  // nothing: chunks are in the file as they are

  // Of what it stands for.
  uint64_t PlainBytes() const { return packing ? packing->plain_bytes() : bytes; }
  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};

// The memory of processes, as CRIU's page files hold it: large, and verified by whoever restores
// from it. All other files are verified before. Nothing else may be compressed.
inline bool IsPageFile(const StoredFile& file) { return file.name.starts_with("pages-"); }

// Where a chunk is.
struct ChunkPlace {
  uint64_t offset = 0;  // in the file
  uint64_t bytes = 0;   // there; a hole of a file that is not compressed counts
  uint64_t plain_offset = 0;
  uint64_t plain_bytes = 0;
  uint64_t packed_bytes = 0;  // compressed, the first of `bytes`; 0: it is there as it is
};
ChunkPlace PlaceOf(const StoredFile& file, uint64_t chunk, uint64_t chunk_bytes);

// What every file of an artifact holds, except the manifest and this table itself, which the
// manifest holds the digest of.
struct Contents {
  uint64_t chunk_bytes = kDefaultChunkBytes;
  std::vector<StoredFile> files;  // by name

  uint64_t TotalBytes() const;
  // As if nothing were compressed.
  uint64_t PlainBytes() const;
  bool IsPacked() const;
  const StoredFile* Find(std::string_view name) const;
};

uint64_t ChunkCount(uint64_t bytes, uint64_t chunk_bytes);

// A file of an artifact lies in its directory: no slash, no leading dot, nothing that cannot be
// printed.
Status CheckFileName(std::string_view name);

std::string WriteContents(const Contents& contents);
// kInvalid names what is wrong. What comes out is consistent: names are such, sorted and different,
// and each file has the chunks that its size needs. A chunk never expands to more than the bytes of
// a chunk.
Result<Contents> ReadContents(std::string_view text);

}  // namespace hearth::snapshot
