#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "disk/zstd/block.h"
#include "snapshot/artifact/artifact.h"

namespace hearth::agent {

// Pages of our own or of a file. Moves.
class MappedBytes {
 public:
  MappedBytes() : MappedBytes(nullptr, 0) {}
  // Files can be read into it past the page cache.
  static MappedBytes Buffer(uint64_t bytes);
  // Null when it cannot be mapped.
  static MappedBytes File(int fd, uint64_t bytes);

  char* data() const { return memory_.get(); }

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(char* memory) const;
  };
  MappedBytes(char* memory, uint64_t bytes) : memory_(memory, Unmap{bytes}) {}
  std::unique_ptr<char, Unmap> memory_;
};

// A file of an artifact, read chunk by chunk, verified and, where it is compressed, expanded. What
// the page cache has is taken from there, everything else is read past it. Thread-safe.
class PageReader {
 public:
  // What one thread needs for it, made when it is needed.
  class Scratch {
   private:
    friend class PageReader;
    MappedBytes packed_;
    uint64_t bytes_ = 0;
    disk::zstd::Expander expander_;
  };

  // `artifact` must outlive it.
  static Result<PageReader> Open(const snapshot::Artifact& artifact, const std::string& name);

  uint64_t bytes() const { return file_.PlainBytes(); }
  uint64_t chunks() const { return chunks_; }
  uint64_t chunk_bytes() const { return chunk_bytes_; }
  // kDataLoss names file and chunk. The bytes are in `buffer`, which has room for a chunk; empty
  // when there is nothing but zeros.
  Result<std::string_view> Read(uint64_t chunk, const MappedBytes& buffer, Scratch& scratch) const;

 private:
  explicit PageReader(const snapshot::StoredFile& file) : file_(file) {}
  Status Damaged(uint64_t chunk, const snapshot::ChunkPlace& place) const;
  bool IsCached(uint64_t offset, uint64_t bytes) const;
  Result<uint64_t> ReadBytes(char* to, uint64_t offset, uint64_t bytes) const;

  const snapshot::StoredFile& file_;
  UniqueFd cached_;
  UniqueFd direct_;  // not valid: the file system does not read past its cache
  MappedBytes map_;  // to ask what is in the page cache
  uint64_t chunk_bytes_ = 0;
  uint64_t chunks_ = 0;
  bool has_digests_ = false;
};

}  // namespace hearth::agent
