#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "disk/io/storage_file.h"
#include "gms/storage/artifact.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::storage {

struct ReadOptions {
  ArtifactLimits limits;
  // Folders that shards with absolute paths may lie below.
  std::vector<std::string> roots;
  bool direct_io = true;
};

// One device's artifact, of any version, that is whole as far as can be seen without reading its
// shards: the manifest and its root digest, metadata and chunk table with theirs, the layout hash,
// and every shard there with the length it must have. Shards stay open, so that the artifact can be
// replaced while it is read. Immutable; threads may share it.
class ArtifactReader {
 public:
  // `name` for messages. kNotFound without a manifest; kInvalid, kDataLoss, kExhausted name the
  // file that is wrong.
  static Result<std::unique_ptr<ArtifactReader>> Open(UniqueFd directory, const std::string& name,
                                                      const ReadOptions& options);
  static Result<std::unique_ptr<ArtifactReader>> Open(const std::string& directory,
                                                      const ReadOptions& options);

  const std::string& name() const { return name_; }
  const Artifact& artifact() const { return artifact_; }
  const Manifest& manifest() const { return artifact_.manifest; }
  // The chunks of one allocation, to be read into `memory`.
  std::vector<Piece> PiecesOf(size_t allocation, Memory& memory) const;
  // What a transfer checks chunks against; empty before version 2.
  std::span<ChunkRecord> records() const { return artifact_.chunks.chunks; }
  std::vector<std::string> shard_paths() const;
  std::vector<uint64_t> shard_bytes() const;

 private:
  ArtifactReader(UniqueFd directory, std::string name)
      : directory_(std::move(directory)), name_(std::move(name)) {}
  Status Load(const ReadOptions& options);
  Status LoadManifest(const ReadOptions& options);
  Status LoadMetadata(const ReadOptions& options);
  Status LoadChunks();
  Result<std::string> LoadRequired(size_t index, uint64_t limit) const;
  Status OpenShards(const ReadOptions& options);
  Result<UniqueFd> OpenShard(const StoredShard& shard, const ReadOptions& options) const;

  UniqueFd directory_;
  std::string name_;
  mutable Artifact artifact_;  // a transfer that reads takes its records as it takes a writer's
  std::vector<std::unique_ptr<StorageFile>> shards_;
  std::vector<uint64_t> first_chunk_;  // by allocation
};

// The first chunk of each allocation.
std::vector<uint64_t> FirstChunks(const Manifest& manifest);
// The chunks of an allocation, one after another in file and memory.
std::vector<Piece> CutIntoPieces(const Manifest& manifest, size_t allocation, uint64_t first_chunk,
                                 StorageFile* file, Memory& memory);

}  // namespace hearth::gms::storage
