#include "gms/storage/artifact_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "disk/confined_file.h"
#include "gms/storage/manifest.h"
#include "gms/storage/shard_plan.h"

namespace hearth::gms::storage {
namespace {

// Which shards direct I/O can read.
std::vector<bool> AlignedShards(const Manifest& manifest) {
  std::vector<bool> aligned(manifest.shards.size(), true);
  for (const StoredAllocation& a : manifest.allocations) {
    if (a.offset % kDirectAlignment != 0 || a.aligned_size % kDirectAlignment != 0) {
      aligned[a.shard] = false;
    }
  }
  return aligned;
}

// Version 0 only promises that what it lists is there.
Status CheckLength(const Manifest& manifest, const StoredShard& shard, uint64_t length) {
  const bool longer_is_fine = manifest.version == ManifestVersion::kV0;
  if (length == shard.bytes || (longer_is_fine && length > shard.bytes)) {
    return {};
  }
  return DataLossError(
      fmt::format("{} has {} bytes, the manifest says {}", shard.path, length, shard.bytes));
}

}  // namespace

std::vector<uint64_t> FirstChunks(const Manifest& manifest) {
  std::vector<uint64_t> first;
  first.reserve(manifest.allocations.size());
  uint64_t next = 0;
  for (const StoredAllocation& allocation : manifest.allocations) {
    first.push_back(next);
    next += ChunkCount(allocation.aligned_size, manifest.chunk_bytes);
  }
  return first;
}

std::vector<Piece> CutIntoPieces(const Manifest& manifest, size_t allocation, uint64_t first_chunk,
                                 StorageFile* file, Memory& memory) {
  const StoredAllocation& a = manifest.allocations[allocation];
  std::vector<Piece> pieces;
  for (uint64_t at = 0; at < a.aligned_size; at += manifest.chunk_bytes) {
    const uint64_t bytes = std::min(manifest.chunk_bytes, a.aligned_size - at);
    pieces.push_back({.file = file,
                      .file_offset = a.offset + at,
                      .memory = &memory,
                      .memory_offset = at,
                      .bytes = static_cast<uint32_t>(bytes),
                      .chunk = first_chunk + pieces.size()});
  }
  return pieces;
}

Result<std::unique_ptr<ArtifactReader>> ArtifactReader::Open(UniqueFd directory,
                                                             const std::string& name,
                                                             const ReadOptions& options) {
  std::unique_ptr<ArtifactReader> reader(new ArtifactReader(std::move(directory), name));
  RETURN_IF_ERROR(reader->Load(options).WithContext(name));
  return reader;
}

Result<std::unique_ptr<ArtifactReader>> ArtifactReader::Open(const std::string& directory,
                                                             const ReadOptions& options) {
  ASSIGN_OR_RETURN(UniqueFd fd, disk::OpenDirectory(directory));
  return Open(std::move(fd), directory, options);
}

Status ArtifactReader::Load(const ReadOptions& options) {
  RETURN_IF_ERROR(LoadManifest(options));
  RETURN_IF_ERROR(LoadMetadata(options));
  RETURN_IF_ERROR(LoadChunks());
  const Manifest& manifest = artifact_.manifest;
  if (!manifest.layout_hash.empty() &&
      LayoutHashOf(manifest, artifact_.metadata) != manifest.layout_hash) {
    return DataLossError(
        fmt::format("allocations and {} do not give the layout hash that {} has; "
                    "one of them is damaged or missing",
                    kMetadataName, kManifestName));
  }
  first_chunk_ = FirstChunks(manifest);
  return OpenShards(options);
}

Status ArtifactReader::LoadManifest(const ReadOptions& options) {
  ASSIGN_OR_RETURN(const std::string text, disk::ReadFileBelow(directory_.get(), kManifestName,
                                                               options.limits.manifest_bytes));
  ASSIGN_OR_RETURN(artifact_.manifest,
                   ReadManifest(text, options.limits).WithContext(kManifestName));
  return {};
}

// What the manifest lists, as it lists it.
Result<std::string> ArtifactReader::LoadRequired(size_t index, uint64_t limit) const {
  const RequiredFile& file = artifact_.manifest.files[index];
  ASSIGN_OR_RETURN(std::string bytes, disk::ReadFileBelow(directory_.get(), file.path, limit));
  if (bytes.size() != file.bytes || disk::DigestOf(bytes) != file.digest) {
    return DataLossError(
        fmt::format("{} is damaged: it is not the one that {} lists", file.path, kManifestName));
  }
  return bytes;
}

Status ArtifactReader::LoadMetadata(const ReadOptions& options) {
  const ManifestVersion version = artifact_.manifest.version;
  if (version == ManifestVersion::kV1) {
    return {};  // it has none
  }
  const Result<std::string> text =
      version == ManifestVersion::kV2
          ? LoadRequired(0, options.limits.metadata_bytes)
          : disk::ReadFileBelow(directory_.get(), kMetadataName, options.limits.metadata_bytes);
  if (version == ManifestVersion::kV0 && text.status().Is(Code::kNotFound)) {
    return {};  // none was written; the layout hash tells when there was one
  }
  RETURN_IF_ERROR(text);
  ASSIGN_OR_RETURN(artifact_.metadata,
                   ReadMetadata(*text, options.limits).WithContext(kMetadataName));
  return CheckMetadata(artifact_.manifest, artifact_.metadata, options.limits)
      .WithContext(kMetadataName);
}

Status ArtifactReader::LoadChunks() {
  const Manifest& manifest = artifact_.manifest;
  if (manifest.version != ManifestVersion::kV2) {
    return {};
  }
  uint64_t expected = 0;
  for (const StoredAllocation& allocation : manifest.allocations) {
    expected += ChunkCount(allocation.aligned_size, manifest.chunk_bytes);
  }
  ASSIGN_OR_RETURN(const std::string bytes, LoadRequired(1, manifest.files[1].bytes));
  ASSIGN_OR_RETURN(artifact_.chunks, ReadChunkTable(bytes).WithContext(kChunkTableName));
  if (artifact_.chunks.chunk_bytes != manifest.chunk_bytes ||
      artifact_.chunks.chunks.size() != expected) {
    return InvalidError(fmt::format("{} holds {} chunks of {} bytes, {} of {} are needed",
                                    kChunkTableName, artifact_.chunks.chunks.size(),
                                    artifact_.chunks.chunk_bytes, expected, manifest.chunk_bytes));
  }
  return {};
}

Result<UniqueFd> ArtifactReader::OpenShard(const StoredShard& shard,
                                           const ReadOptions& options) const {
  if (!shard.path.starts_with('/')) {
    return disk::OpenFileBelow(directory_.get(), shard.path, O_RDONLY);
  }
  for (const std::string& root : options.roots) {
    if (LiesBelow(shard.path, root)) {
      ASSIGN_OR_RETURN(const UniqueFd folder, disk::OpenDirectory(root));
      return disk::OpenFileBelow(folder.get(), shard.path.substr(root == "/" ? 1 : root.size() + 1),
                                 O_RDONLY);
    }
  }
  return InvalidError(
      fmt::format("{} lies below none of the shard roots; name its root in "
                  "--sharded-ssd-roots",
                  shard.path));
}

Status ArtifactReader::OpenShards(const ReadOptions& options) {
  const Manifest& manifest = artifact_.manifest;
  const std::vector<bool> aligned = AlignedShards(manifest);
  for (size_t i = 0; i < manifest.shards.size(); ++i) {
    const StoredShard& shard = manifest.shards[i];
    ASSIGN_OR_RETURN(UniqueFd fd, OpenShard(shard, options));
    ASSIGN_OR_RETURN(const uint64_t length, disk::SizeOf(fd.get(), shard.path));
    RETURN_IF_ERROR(CheckLength(manifest, shard, length));
    const std::string name = shard.path.starts_with('/') ? shard.path : name_ + "/" + shard.path;
    shards_.push_back(std::make_unique<StorageFile>(std::move(fd), name));
    if (options.direct_io && aligned[i]) {
      shards_.back()->TryDirect();
    }
  }
  return {};
}

std::vector<Piece> ArtifactReader::PiecesOf(size_t allocation, Memory& memory) const {
  return CutIntoPieces(manifest(), allocation, first_chunk_[allocation],
                       shards_[manifest().allocations[allocation].shard].get(), memory);
}

std::vector<std::string> ArtifactReader::shard_paths() const {
  std::vector<std::string> paths;
  for (const auto& shard : shards_) {
    paths.push_back(shard->name());
  }
  return paths;
}

std::vector<uint64_t> ArtifactReader::shard_bytes() const {
  std::vector<uint64_t> bytes;
  for (const StoredShard& shard : manifest().shards) {
    bytes.push_back(shard.bytes);
  }
  return bytes;
}

}  // namespace hearth::gms::storage
