#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Where bytes go and who moves them, worked out before anything is opened. Pure.
namespace hearth::gms::storage {

inline constexpr uint64_t kDefaultShardBytes = 4ULL << 30;

struct Extent {
  size_t shard = 0;
  uint64_t offset = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

// Appends in order; a shard is closed when it has data and the next one would make it larger than
// `shard_bytes`. One that is larger by itself gets a shard of its own.
std::vector<Extent> PlanShards(std::span<const uint64_t> sizes, uint64_t shard_bytes);

std::string ShardName(size_t index);  // shard_0000.bin

// Where below a shard root the shards of a checkpoint go: "<before>/versions/<after>" when the path
// has a folder `versions`, otherwise the path with '_' for every separator.
std::string ShardRootSuffix(std::string_view checkpoint_directory);

// Files put into at most `count` buckets, the largest first and always into the least filled one;
// indices into `sizes`. Empty buckets are left out.
std::vector<std::vector<size_t>> Balance(std::span<const uint64_t> sizes, size_t count);

struct FileQueue {
  std::string name;           // "<root>#q<i>"
  std::vector<size_t> files;  // indices
  uint64_t bytes = 0;
};
// One set of `queues_per_root` balanced queues for each root that has files. kInvalid for a file
// below none of the roots, and without roots.
Result<std::vector<FileQueue>> PlanRootQueues(std::span<const std::string> files,
                                              std::span<const uint64_t> sizes,
                                              std::span<const std::string> roots,
                                              size_t queues_per_root);

// "a,b" or "a;b": absolute, without trailing slashes, blanks dropped, no duplicates, no "." or ".."
// or empty parts. kInvalid otherwise.
Result<std::vector<std::string>> ParseRoots(std::string_view text);
// Whether `path` lies below `root`; names only, nothing is looked up.
bool LiesBelow(std::string_view path, std::string_view root);

}  // namespace hearth::gms::storage
