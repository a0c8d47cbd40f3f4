#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "disk/io/storage_file.h"
#include "gms/storage/artifact.h"
#include "gms/storage/shard_plan.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::storage {

// Where the files of one device's artifact are made.
struct StagedDevice {
  int64_t device = 0;
  std::string directory;  // for everything but shards
  // Folders of the shards, taken in turn, and how the manifest names them: "shards", or absolute.
  struct ShardFolder {
    std::string directory;
    std::string stored_as;
  };
  std::vector<ShardFolder> shard_folders;
};

// What is to be saved. Shard and offset of the allocations are worked out here.
struct SavedLayout {
  std::string layout_hash;  // as the server said; must be that of what follows
  Compatibility compatibility;
  std::vector<StoredAllocation> allocations;  // by slot
  std::vector<StoredMetadata> metadata;       // by key
};

struct WriteOptions {
  uint64_t shard_bytes = kDefaultShardBytes;
  uint64_t chunk_bytes = kDefaultChunkBytes;
  bool direct_io = true;
};

// Makes one device's artifact in a staging directory: shards with room for everything, then
// whatever a transfer writes into them, then the other files, the manifest last. Whoever dies on
// the way leaves a staging directory. Not thread-safe, but its pieces may be written by many.
class ArtifactWriter {
 public:
  // kInvalid when the layout makes no sense or has another hash; kExhausted when the disk is full.
  static Result<std::unique_ptr<ArtifactWriter>> Create(FileSystem& files, StagedDevice staged,
                                                        SavedLayout layout,
                                                        const WriteOptions& options);

  std::vector<Piece> PiecesOf(size_t allocation, Memory& memory);
  std::span<ChunkRecord> records() { return artifact_.chunks.chunks; }
  const Manifest& manifest() const { return artifact_.manifest; }

  // After the transfer: everything is durable when it returns. The manifest as it was written.
  Result<Manifest> Seal(WallTime now);

 private:
  ArtifactWriter(FileSystem& files, StagedDevice staged)
      : files_(files), staged_(std::move(staged)) {}
  void Plan(SavedLayout layout, const WriteOptions& options);
  Status MakeShards(const WriteOptions& options);
  Status PunchZeros();
  Result<RequiredFile> WriteRequired(const char* name, const std::string& bytes);
  Status WriteDurably(const char* name, const std::string& bytes);
  std::string ShardPath(size_t index) const;

  FileSystem& files_;
  StagedDevice staged_;
  Artifact artifact_;
  std::vector<std::unique_ptr<StorageFile>> shards_;
  std::vector<uint64_t> first_chunk_;
};

}  // namespace hearth::gms::storage
