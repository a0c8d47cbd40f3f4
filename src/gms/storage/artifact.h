#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "disk/digest.h"
#include "gms/storage/chunk_table.h"

// The weights of one device as they lie on disk (docs/formats/gms-artifact.md): shards of raw
// bytes, a manifest that says what is where, metadata, and a digest of every chunk.
namespace hearth::gms::storage {

inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kMetadataName = "gms_metadata.json";
inline constexpr const char* kChunkTableName = "chunks.bin";
inline constexpr const char* kShardFolder = "shards";

// How large what we read may be. More is kExhausted.
struct ArtifactLimits {
  uint64_t manifest_bytes = 512ULL << 20;
  uint64_t metadata_bytes = 512ULL << 20;
  size_t allocations = 1U << 20;
  size_t metadata_keys = 1U << 20;
  size_t shards = 1U << 16;
  uint64_t total_bytes = 1ULL << 50;
};

struct StoredAllocation {
  std::string id;
  uint64_t size = 0;  // as the engine asked for it
  uint64_t aligned_size = 0;
  std::string tag;
  size_t shard = 0;     // index
  uint64_t offset = 0;  // in the shard

  friend bool operator==(const StoredAllocation&, const StoredAllocation&) = default;
};

struct StoredShard {
  std::string path;  // relative to the device's directory, or absolute below a shard root
  uint64_t bytes = 0;

  friend bool operator==(const StoredShard&, const StoredShard&) = default;
};

struct StoredMetadata {
  std::string key;
  std::string allocation_id;
  uint64_t offset_bytes = 0;
  std::string value;

  friend bool operator==(const StoredMetadata&, const StoredMetadata&) = default;
};

// A file without which the artifact is not whole.
struct RequiredFile {
  std::string path;
  uint64_t bytes = 0;
  disk::Digest digest;

  friend bool operator==(const RequiredFile&, const RequiredFile&) = default;
};

// What an artifact fits to. Checked before anything is loaded; what is empty or 0 fits everything.
struct Compatibility {
  std::string model;  // a label that people or the operator chose
  std::optional<int64_t> rank;
  std::string device_kind;  // "host", "cuda"
  uint64_t granularity = 0;

  friend bool operator==(const Compatibility&, const Compatibility&) = default;
};

// 0 and 1 are what others wrote before us; 2 is ours.
enum class ManifestVersion : uint8_t { kV0 = 0, kV1 = 1, kV2 = 2 };

struct Manifest {
  ManifestVersion version = ManifestVersion::kV2;
  double timestamp = 0;  // seconds since 1970
  int64_t device = 0;
  std::string layout_hash;  // empty in version 1
  Compatibility compatibility;
  uint64_t chunk_bytes = kDefaultChunkBytes;
  std::vector<StoredShard> shards;
  std::vector<StoredAllocation> allocations;  // in the order of their slots
  std::vector<RequiredFile> files;            // metadata and chunk table; empty before version 2
  disk::Digest root;                          // of all the rest; version 2

  uint64_t total_bytes() const;  // of all allocations
};

// Everything but the bytes of the shards.
struct Artifact {
  Manifest manifest;
  std::vector<StoredMetadata> metadata;  // by key
  ChunkTable chunks;                     // empty before version 2
};

// Whether the parts agree: ids unique, sizes and offsets whole multiples of the granularity,
// extents one after another from 0 to the end of their shard (version 0: within it, apart from
// each other), metadata that points into its allocation. kInvalid says what does not.
Status CheckManifest(const Manifest& manifest, const ArtifactLimits& limits = {});
Status CheckMetadata(const Manifest& manifest, const std::vector<StoredMetadata>& metadata,
                     const ArtifactLimits& limits = {});

// The hash that a server gives this layout when it is loaded.
std::string LayoutHashOf(const Manifest& manifest, const std::vector<StoredMetadata>& metadata);

// Whether it may be loaded where `target` says: model and rank when both are given, kind of device
// only told, sizes multiples of the target's granularity. kInvalid names what does not fit.
Status CheckCompatible(const Manifest& manifest, const Compatibility& target);

}  // namespace hearth::gms::storage
