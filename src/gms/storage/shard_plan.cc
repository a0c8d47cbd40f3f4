#include "gms/storage/shard_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/strings.h"

namespace hearth::gms::storage {
namespace {

std::vector<std::string> Components(std::string_view path) {
  std::vector<std::string> parts;
  for (const std::string_view part : Split(path, '/')) {
    if (!part.empty() && part != "." && part != "..") {
      parts.emplace_back(part);
    }
  }
  return parts;
}

bool OnlyNames(std::string_view path) {
  const auto parts = Split(path, '/');
  return std::none_of(parts.begin(), parts.end(),
                      [](auto part) { return part.empty() || part == "." || part == ".."; });
}

std::vector<size_t> LargestFirst(std::span<const uint64_t> sizes) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

Result<size_t> RootOf(const std::string& file, std::span<const std::string> roots) {
  for (size_t i = 0; i < roots.size(); ++i) {
    if (LiesBelow(file, roots[i])) {
      return i;
    }
  }
  return InvalidError(fmt::format(
      "{} lies below none of the shard roots; name its root in --sharded-ssd-roots", file));
}

std::vector<FileQueue> QueuesOfRoot(const std::string& root, const std::vector<size_t>& files,
                                    std::span<const uint64_t> sizes, size_t count) {
  std::vector<uint64_t> own;
  own.reserve(files.size());
  for (const size_t file : files) {
    own.push_back(sizes[file]);
  }
  std::vector<FileQueue> queues;
  for (const std::vector<size_t>& bucket : Balance(own, count)) {
    FileQueue queue{.name = fmt::format("{}#q{}", root, queues.size())};
    for (const size_t index : bucket) {
      queue.files.push_back(files[index]);
      queue.bytes += own[index];
    }
    queues.push_back(std::move(queue));
  }
  return queues;
}

}  // namespace

std::vector<Extent> PlanShards(std::span<const uint64_t> sizes, uint64_t shard_bytes) {
  std::vector<Extent> extents;
  extents.reserve(sizes.size());
  Extent next;
  for (const uint64_t size : sizes) {
    if (next.offset > 0 && (size > shard_bytes || next.offset > shard_bytes - size)) {
      next = {.shard = next.shard + 1};
    }
    extents.push_back(next);
    next.offset += size;
  }
  return extents;
}

std::string ShardName(size_t index) { return fmt::format("shard_{:04}.bin", index); }

std::string ShardRootSuffix(std::string_view checkpoint_directory) {
  const std::vector<std::string> parts = Components(checkpoint_directory);
  const auto versions = std::find(parts.begin(), parts.end(), "versions");
  if (versions == parts.end() || versions == parts.begin() || versions + 1 == parts.end()) {
    return Join(parts, "_");
  }
  return fmt::format("{}/versions/{}", *(versions - 1), Join({versions + 1, parts.end()}, "_"));
}

std::vector<std::vector<size_t>> Balance(std::span<const uint64_t> sizes, size_t count) {
  std::vector<std::vector<size_t>> buckets(std::min(std::max<size_t>(count, 1), sizes.size()));
  std::vector<uint64_t> filled(buckets.size(), 0);
  for (const size_t index : LargestFirst(sizes)) {
    const auto least = std::min_element(filled.begin(), filled.end()) - filled.begin();
    buckets[static_cast<size_t>(least)].push_back(index);
    filled[static_cast<size_t>(least)] += sizes[index];
  }
  return buckets;
}

Result<std::vector<FileQueue>> PlanRootQueues(std::span<const std::string> files,
                                              std::span<const uint64_t> sizes,
                                              std::span<const std::string> roots,
                                              size_t queues_per_root) {
  if (roots.empty()) {
    return InvalidError(
        "the sharded-ssd backend needs at least one root; give "
        "--sharded-ssd-roots");
  }
  std::vector<std::vector<size_t>> by_root(roots.size());
  for (size_t i = 0; i < files.size(); ++i) {
    ASSIGN_OR_RETURN(const size_t root, RootOf(files[i], roots));
    by_root[root].push_back(i);
  }
  std::vector<FileQueue> queues;
  for (size_t i = 0; i < roots.size(); ++i) {
    for (FileQueue& queue : QueuesOfRoot(roots[i], by_root[i], sizes, queues_per_root)) {
      queues.push_back(std::move(queue));
    }
  }
  return queues;
}

Result<std::vector<std::string>> ParseRoots(std::string_view text) {
  std::string commas(text);
  std::replace(commas.begin(), commas.end(), ';', ',');
  std::vector<std::string> roots;
  for (const std::string_view part : Split(commas, ',')) {
    std::string root(Trim(part));
    while (root.size() > 1 && root.ends_with('/')) {
      root.pop_back();
    }
    if (root.empty()) {
      continue;
    }
    if (!root.starts_with('/')) {
      return InvalidError(fmt::format("shard root {}: it must be an absolute path", root));
    }
    if (root != "/" && !OnlyNames(root.substr(1))) {
      return InvalidError(
          fmt::format("shard root {}: no part of it may be empty, \".\" or \"..\"", root));
    }
    if (std::find(roots.begin(), roots.end(), root) != roots.end()) {
      return InvalidError(fmt::format("shard root {} is given twice", root));
    }
    roots.push_back(std::move(root));
  }
  return roots;
}

bool LiesBelow(std::string_view path, std::string_view root) {
  return path.size() > root.size() + 1 && path.starts_with(root) &&
         (root == "/" || path[root.size()] == '/');
}

}  // namespace hearth::gms::storage
