#include "gms/storage/artifact_writer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "gms/storage/artifact_reader.h"
#include "gms/storage/manifest.h"

namespace hearth::gms::storage {
namespace {

constexpr uint32_t kFileMode = 0644;

double Seconds(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Result<UniqueFd> CreateFile(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "create " + path);
  }
  return fd;
}

bool Aligned(const Manifest& manifest) {
  return std::all_of(manifest.allocations.begin(), manifest.allocations.end(),
                     [](const auto& a) { return a.aligned_size % kDirectAlignment == 0; });
}

}  // namespace

Result<std::unique_ptr<ArtifactWriter>> ArtifactWriter::Create(FileSystem& files,
                                                               StagedDevice staged,
                                                               SavedLayout layout,
                                                               const WriteOptions& options) {
  std::unique_ptr<ArtifactWriter> writer(new ArtifactWriter(files, std::move(staged)));
  writer->Plan(std::move(layout), options);
  const Artifact& artifact = writer->artifact_;
  RETURN_IF_ERROR(CheckManifest(artifact.manifest));
  RETURN_IF_ERROR(CheckMetadata(artifact.manifest, artifact.metadata));
  if (LayoutHashOf(artifact.manifest, artifact.metadata) != artifact.manifest.layout_hash) {
    return InvalidError("the layout that was read is not the one whose hash the server gave");
  }
  RETURN_IF_ERROR(writer->MakeShards(options));
  return writer;
}

std::string ArtifactWriter::ShardPath(size_t index) const {
  const auto& folder = staged_.shard_folders[index % staged_.shard_folders.size()];
  return folder.directory + "/" + ShardName(index);
}

void ArtifactWriter::Plan(SavedLayout layout, const WriteOptions& options) {
  Manifest& manifest = artifact_.manifest;
  manifest.device = staged_.device;
  manifest.layout_hash = std::move(layout.layout_hash);
  manifest.compatibility = std::move(layout.compatibility);
  manifest.chunk_bytes = options.chunk_bytes;
  manifest.allocations = std::move(layout.allocations);
  artifact_.metadata = std::move(layout.metadata);
  std::vector<uint64_t> sizes;
  for (const StoredAllocation& allocation : manifest.allocations) {
    sizes.push_back(allocation.aligned_size);
  }
  const std::vector<Extent> extents = PlanShards(sizes, options.shard_bytes);
  for (size_t i = 0; i < extents.size(); ++i) {
    manifest.allocations[i].shard = extents[i].shard;
    manifest.allocations[i].offset = extents[i].offset;
    if (extents[i].shard == manifest.shards.size()) {
      const auto& folder = staged_.shard_folders[extents[i].shard % staged_.shard_folders.size()];
      manifest.shards.push_back({.path = folder.stored_as + "/" + ShardName(extents[i].shard)});
    }
    manifest.shards.back().bytes = extents[i].offset + sizes[i];
  }
  first_chunk_ = FirstChunks(manifest);
  const uint64_t chunks =
      extents.empty() ? 0 : first_chunk_.back() + ChunkCount(sizes.back(), manifest.chunk_bytes);
  artifact_.chunks.chunk_bytes = manifest.chunk_bytes;
  artifact_.chunks.chunks.resize(chunks);
}

Status ArtifactWriter::MakeShards(const WriteOptions& options) {
  const Manifest& manifest = artifact_.manifest;
  for (size_t i = 0; i < manifest.shards.size(); ++i) {
    ASSIGN_OR_RETURN(UniqueFd fd, CreateFile(ShardPath(i)));
    shards_.push_back(std::make_unique<StorageFile>(std::move(fd), ShardPath(i)));
    RETURN_IF_ERROR(shards_.back()->Preallocate(manifest.shards[i].bytes));
    if (options.direct_io && Aligned(manifest)) {
      shards_.back()->TryDirect();
    }
  }
  return {};
}

std::vector<Piece> ArtifactWriter::PiecesOf(size_t allocation, Memory& memory) {
  return CutIntoPieces(manifest(), allocation, first_chunk_[allocation],
                       shards_[manifest().allocations[allocation].shard].get(), memory);
}

Status ArtifactWriter::PunchZeros() {
  const Manifest& manifest = artifact_.manifest;
  for (size_t i = 0; i < manifest.allocations.size(); ++i) {
    const StoredAllocation& a = manifest.allocations[i];
    for (uint64_t at = 0; at < a.aligned_size; at += manifest.chunk_bytes) {
      const uint64_t chunk = first_chunk_[i] + at / manifest.chunk_bytes;
      if (artifact_.chunks.chunks[chunk].zero) {
        RETURN_IF_ERROR(shards_[a.shard]->Punch(
            a.offset + at, std::min(manifest.chunk_bytes, a.aligned_size - at)));
      }
    }
  }
  return {};
}

Status ArtifactWriter::WriteDurably(const char* name, const std::string& bytes) {
  const std::string path = staged_.directory + "/" + name;
  RETURN_IF_ERROR(files_.Write(path, bytes, kFileMode));
  return files_.Sync(path);
}

Result<RequiredFile> ArtifactWriter::WriteRequired(const char* name, const std::string& bytes) {
  RETURN_IF_ERROR(WriteDurably(name, bytes));
  return RequiredFile{.path = name, .bytes = bytes.size(), .digest = disk::DigestOf(bytes)};
}

Result<Manifest> ArtifactWriter::Seal(WallTime now) {
  RETURN_IF_ERROR(PunchZeros());
  for (const auto& shard : shards_) {
    RETURN_IF_ERROR(shard->Sync());
  }
  for (const StagedDevice::ShardFolder& folder : staged_.shard_folders) {
    RETURN_IF_ERROR(files_.Sync(folder.directory));
  }
  ASSIGN_OR_RETURN(const RequiredFile metadata,
                   WriteRequired(kMetadataName, WriteMetadata(artifact_.metadata)));
  ASSIGN_OR_RETURN(const RequiredFile chunks,
                   WriteRequired(kChunkTableName, WriteChunkTable(artifact_.chunks)));
  artifact_.manifest.files = {metadata, chunks};
  artifact_.manifest.timestamp = Seconds(now);
  const std::string text = WriteManifest(artifact_.manifest);
  RETURN_IF_ERROR(WriteDurably(kManifestName, text));
  RETURN_IF_ERROR(files_.Sync(staged_.directory));
  return ReadManifest(text);
}

}  // namespace hearth::gms::storage
