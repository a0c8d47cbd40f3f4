#include "gms/storage/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/seeded_hash.h"
#include "base/strings.h"
#include "gms/core/layout.h"

namespace hearth::gms::storage {
namespace {

Status Wrong(const StoredAllocation& allocation, std::string_view what) {
  return InvalidError(fmt::format("allocation {}: {}", Excerpt(allocation.id, 80), what));
}

Status CheckAllocation(const Manifest& manifest, const StoredAllocation& a) {
  const uint64_t granularity = std::max<uint64_t>(manifest.compatibility.granularity, 1);
  if (a.id.empty()) {
    return InvalidError("an allocation has no id");
  }
  if (a.size == 0 || a.aligned_size < a.size) {
    return Wrong(a, fmt::format("size {} of {} makes no sense", a.size, a.aligned_size));
  }
  if (a.aligned_size % granularity != 0 || a.offset % granularity != 0) {
    return Wrong(a, fmt::format("size {} or offset {} is no multiple of the granularity {}",
                                a.aligned_size, a.offset, granularity));
  }
  if (a.shard >= manifest.shards.size()) {
    return Wrong(a, "its shard is not listed");
  }
  const uint64_t shard_bytes = manifest.shards[a.shard].bytes;
  if (a.offset > shard_bytes || a.aligned_size > shard_bytes - a.offset) {
    return Wrong(a, fmt::format("its end is beyond the end of {}", manifest.shards[a.shard].path));
  }
  return {};
}

// By shard and offset, whatever order they are listed in.
std::vector<const StoredAllocation*> ByPlace(const Manifest& manifest) {
  std::vector<const StoredAllocation*> sorted;
  sorted.reserve(manifest.allocations.size());
  for (const StoredAllocation& allocation : manifest.allocations) {
    sorted.push_back(&allocation);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::pair(a->shard, a->offset) < std::pair(b->shard, b->offset);
  });
  return sorted;
}

Status CheckExtents(const Manifest& manifest) {
  const bool gaps_allowed = manifest.version == ManifestVersion::kV0;
  std::vector<uint64_t> ends(manifest.shards.size(), 0);
  for (const StoredAllocation* a : ByPlace(manifest)) {
    if (a->offset < ends[a->shard] || (a->offset > ends[a->shard] && !gaps_allowed)) {
      return Wrong(*a, fmt::format("at {} in {}, but the one before it ends at {}", a->offset,
                                   manifest.shards[a->shard].path, ends[a->shard]));
    }
    ends[a->shard] = a->offset + a->aligned_size;
  }
  for (size_t i = 0; i < ends.size() && !gaps_allowed; ++i) {
    if (ends[i] != manifest.shards[i].bytes) {
      return InvalidError(fmt::format("{}: {} bytes are listed, {} are used",
                                      manifest.shards[i].path, manifest.shards[i].bytes, ends[i]));
    }
  }
  return {};
}

Status CheckCounts(const Manifest& manifest, const ArtifactLimits& limits) {
  if (manifest.allocations.empty()) {
    return InvalidError("there are no allocations");
  }
  if (manifest.allocations.size() > limits.allocations || manifest.shards.size() > limits.shards) {
    return ExhaustedError(fmt::format(
        "{} allocations in {} shards are more than the limit of {} "
        "in {}",
        manifest.allocations.size(), manifest.shards.size(), limits.allocations, limits.shards));
  }
  for (const StoredShard& shard : manifest.shards) {
    if (shard.bytes == 0 || shard.bytes > limits.total_bytes) {
      return InvalidError(fmt::format("{}: {} is no size of a shard", shard.path, shard.bytes));
    }
  }
  return {};
}

}  // namespace

uint64_t Manifest::total_bytes() const {
  return std::accumulate(allocations.begin(), allocations.end(), uint64_t{0},
                         [](uint64_t sum, const auto& a) { return sum + a.aligned_size; });
}

Status CheckManifest(const Manifest& manifest, const ArtifactLimits& limits) {
  RETURN_IF_ERROR(CheckCounts(manifest, limits));
  SeededSet<std::string_view> ids;
  for (const StoredAllocation& allocation : manifest.allocations) {
    RETURN_IF_ERROR(CheckAllocation(manifest, allocation));
    if (!ids.insert(allocation.id).second) {
      return Wrong(allocation, "it is listed twice");
    }
  }
  std::set<std::string_view> paths;
  for (const StoredShard& shard : manifest.shards) {
    if (!paths.insert(shard.path).second) {
      return InvalidError(fmt::format("{} is listed twice", shard.path));
    }
  }
  return CheckExtents(manifest);
}

Status CheckMetadata(const Manifest& manifest, const std::vector<StoredMetadata>& metadata,
                     const ArtifactLimits& limits) {
  if (metadata.size() > limits.metadata_keys) {
    return ExhaustedError(fmt::format("{} keys of metadata are more than the limit of {}",
                                      metadata.size(), limits.metadata_keys));
  }
  SeededMap<std::string_view, uint64_t> sizes;
  for (const StoredAllocation& allocation : manifest.allocations) {
    sizes.emplace(allocation.id, allocation.aligned_size);
  }
  for (const StoredMetadata& entry : metadata) {
    const auto found = sizes.find(entry.allocation_id);
    if (found == sizes.end() || entry.offset_bytes >= found->second) {
      return InvalidError(fmt::format("metadata {}: offset {} in allocation {} is nowhere",
                                      Excerpt(entry.key, 80), entry.offset_bytes,
                                      Excerpt(entry.allocation_id, 80)));
    }
  }
  return {};
}

std::string LayoutHashOf(const Manifest& manifest, const std::vector<StoredMetadata>& metadata) {
  Layout layout({.allocations = SIZE_MAX, .metadata_keys = SIZE_MAX, .metadata_bytes = UINT64_MAX});
  for (const StoredAllocation& a : manifest.allocations) {
    CHECK(layout.Add(a.id, a.size, a.aligned_size, a.tag, 0).ok()) << "checked before: " << a.id;
  }
  for (const StoredMetadata& m : metadata) {
    CHECK(layout
              .Put(m.key, {.allocation_id = m.allocation_id,
                           .offset_bytes = m.offset_bytes,
                           .value = m.value})
              .ok())
        << "checked before: " << m.key;
  }
  return layout.Hash();
}

Status CheckCompatible(const Manifest& manifest, const Compatibility& target) {
  const Compatibility& own = manifest.compatibility;
  if (!own.model.empty() && !target.model.empty() && own.model != target.model) {
    return InvalidError(fmt::format("the artifact holds model {}, wanted is {}",
                                    Excerpt(own.model, 80), Excerpt(target.model, 80)));
  }
  if (own.rank && target.rank && *own.rank != *target.rank) {
    return InvalidError(
        fmt::format("the artifact holds rank {}, wanted is {}", *own.rank, *target.rank));
  }
  for (const StoredAllocation& a : manifest.allocations) {
    if (target.granularity != 0 && a.aligned_size % target.granularity != 0) {
      return Wrong(a, fmt::format("{} bytes are no multiple of the device's granularity {}",
                                  a.aligned_size, target.granularity));
    }
  }
  return {};
}

}  // namespace hearth::gms::storage
