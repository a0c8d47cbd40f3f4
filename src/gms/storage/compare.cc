#include "gms/storage/compare.h"

#include <algorithm>
#include <map>

#include "gms/storage/artifact_reader.h"

namespace hearth::gms::storage {
namespace {

uint64_t ChunkBytes(const Manifest& manifest, size_t allocation, uint64_t chunk) {
  const uint64_t at = chunk * manifest.chunk_bytes;
  return std::min(manifest.chunk_bytes, manifest.allocations[allocation].aligned_size - at);
}

// With the chunks of one allocation of both at hand.
struct Side {
  const Artifact& artifact;
  std::vector<uint64_t> first_chunks = FirstChunks(artifact.manifest);

  const ChunkRecord& Chunk(size_t allocation, uint64_t chunk) const {
    return artifact.chunks.chunks[first_chunks[allocation] + chunk];
  }
};

void CompareContents(const Side& a, const Side& b, AllocationChange& change) {
  const Manifest& manifest = a.artifact.manifest;
  if (a.artifact.chunks.chunks.empty() || b.artifact.chunks.chunks.empty() ||
      manifest.chunk_bytes != b.artifact.manifest.chunk_bytes) {
    change.change = Change::kUnknown;
    return;
  }
  const uint64_t count =
      ChunkCount(manifest.allocations[change.rank].aligned_size, manifest.chunk_bytes);
  for (uint64_t i = 0; i < count; ++i) {
    if (a.Chunk(change.rank, i).digest != b.Chunk(change.rank, i).digest) {
      change.chunks.push_back(i);
    }
  }
  change.change = change.chunks.empty() ? Change::kSame : Change::kContents;
}

AllocationChange CompareRank(const Side& a, const Side& b, size_t rank) {
  const auto& in_a = a.artifact.manifest.allocations;
  const auto& in_b = b.artifact.manifest.allocations;
  AllocationChange change{.rank = rank};
  change.id_a = rank < in_a.size() ? in_a[rank].id : "";
  change.id_b = rank < in_b.size() ? in_b[rank].id : "";
  if (rank >= in_b.size()) {
    change.change = Change::kOnlyInA;
  } else if (rank >= in_a.size()) {
    change.change = Change::kOnlyInB;
  } else if (in_a[rank].size != in_b[rank].size || in_a[rank].tag != in_b[rank].tag ||
             in_a[rank].aligned_size != in_b[rank].aligned_size) {
    change.change = Change::kShape;
  } else {
    CompareContents(a, b, change);
  }
  return change;
}

// The rank instead of the name, which means nothing elsewhere.
std::map<std::string, std::pair<size_t, StoredMetadata>> ByKey(const Artifact& artifact) {
  std::map<std::string_view, size_t> ranks;
  for (size_t i = 0; i < artifact.manifest.allocations.size(); ++i) {
    ranks.emplace(artifact.manifest.allocations[i].id, i);
  }
  std::map<std::string, std::pair<size_t, StoredMetadata>> entries;
  for (const StoredMetadata& entry : artifact.metadata) {
    entries[entry.key] = {ranks[entry.allocation_id], entry};
  }
  return entries;
}

std::vector<MetadataChange> CompareMetadata(const Artifact& a, const Artifact& b) {
  const auto in_a = ByKey(a);
  const auto in_b = ByKey(b);
  std::vector<MetadataChange> changes;
  for (const auto& [key, entry] : in_a) {
    const auto other = in_b.find(key);
    if (other == in_b.end()) {
      changes.push_back({key, Change::kOnlyInA});
    } else if (entry.first != other->second.first ||
               entry.second.offset_bytes != other->second.second.offset_bytes ||
               entry.second.value != other->second.second.value) {
      changes.push_back({key, Change::kContents});
    }
  }
  for (const auto& [key, entry] : in_b) {
    if (!in_a.contains(key)) {
      changes.push_back({key, Change::kOnlyInB});
    }
  }
  return changes;
}

}  // namespace

ArtifactSummary Summarize(const Artifact& artifact) {
  const Manifest& manifest = artifact.manifest;
  ArtifactSummary summary{.version = static_cast<int>(manifest.version),
                          .device = manifest.device,
                          .timestamp = manifest.timestamp,
                          .layout_hash = manifest.layout_hash,
                          .compatibility = manifest.compatibility,
                          .shards = manifest.shards.size(),
                          .allocations = manifest.allocations.size(),
                          .metadata_keys = artifact.metadata.size(),
                          .chunks = artifact.chunks.chunks.size(),
                          .bytes = manifest.total_bytes()};
  if (manifest.version == ManifestVersion::kV2) {
    summary.root_digest = manifest.root.Hex();
  }
  const Side side{artifact};
  for (size_t i = 0; i < manifest.allocations.size() && summary.chunks > 0; ++i) {
    const uint64_t count = ChunkCount(manifest.allocations[i].aligned_size, manifest.chunk_bytes);
    for (uint64_t chunk = 0; chunk < count; ++chunk) {
      summary.zero_bytes += side.Chunk(i, chunk).zero ? ChunkBytes(manifest, i, chunk) : 0;
    }
  }
  return summary;
}

std::string_view ChangeName(Change change) {
  switch (change) {
    case Change::kSame:
      return "same";
    case Change::kContents:
      return "contents";
    case Change::kShape:
      return "shape";
    case Change::kOnlyInA:
      return "only-in-a";
    case Change::kOnlyInB:
      return "only-in-b";
    case Change::kUnknown:
      return "unknown";
  }
  return "unknown";
}

ArtifactDiff Compare(const Artifact& a, const Artifact& b) {
  ArtifactDiff diff{.same_layout = LayoutHashOf(a.manifest, a.metadata) ==
                                   LayoutHashOf(b.manifest, b.metadata)};
  const Side side_a{a};
  const Side side_b{b};
  const size_t ranks = std::max(a.manifest.allocations.size(), b.manifest.allocations.size());
  for (size_t rank = 0; rank < ranks; ++rank) {
    AllocationChange change = CompareRank(side_a, side_b, rank);
    if (change.change != Change::kSame) {
      diff.allocations.push_back(std::move(change));
    }
  }
  diff.metadata = CompareMetadata(a, b);
  return diff;
}

}  // namespace hearth::gms::storage
