#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gms/storage/artifact.h"

// Looking at artifacts without reading their shards. Pure.
namespace hearth::gms::storage {

struct ArtifactSummary {
  int version = 0;
  int64_t device = 0;
  double timestamp = 0;
  std::string layout_hash;
  std::string root_digest;  // empty before version 2
  Compatibility compatibility;
  size_t shards = 0;
  size_t allocations = 0;
  size_t metadata_keys = 0;
  size_t chunks = 0;  // 0 before version 2
  uint64_t bytes = 0;
  uint64_t zero_bytes = 0;  // of them, that take no room
};
ArtifactSummary Summarize(const Artifact& artifact);

enum class Change : uint8_t {
  kSame,
  kContents,  // the same shape, other bytes
  kShape,     // other size or tag
  kOnlyInA,
  kOnlyInB,
  kUnknown,  // the same shape; without digests nobody can say more
};
std::string_view ChangeName(Change change);  // "same", "contents", ...

struct AllocationChange {
  size_t rank = 0;
  std::string id_a;
  std::string id_b;
  Change change = Change::kSame;
  std::vector<uint64_t> chunks;  // that differ, counted within the allocation
};
struct MetadataChange {
  std::string key;
  Change change = Change::kSame;
};
struct ArtifactDiff {
  bool same_layout = false;
  std::vector<AllocationChange> allocations;  // that are not kSame
  std::vector<MetadataChange> metadata;       // likewise

  bool same() const { return allocations.empty() && metadata.empty(); }
};
// Allocations are compared by their rank, because servers name them anew; metadata by key.
ArtifactDiff Compare(const Artifact& a, const Artifact& b);

}  // namespace hearth::gms::storage
