#include <fmt/format.h>

#include <bit>

#include "base/seeded_hash.h"
#include "base/strings.h"
#include "gms/storage/internal/fields.h"
#include "gms/storage/internal/root_digest.h"
#include "gms/storage/manifest.h"
#include "json/parse.h"

namespace hearth::gms::storage {
namespace {

constexpr size_t kNameLimit = 4096;  // bytes of an id, a tag, a label
constexpr size_t kPathLimit = 4096;
constexpr size_t kHashLimit = 128;

// Shards in the order in which they are first named. Their size is where their last extent ends,
// until the manifest or the disk says more.
class ShardList {
 public:
  explicit ShardList(std::vector<StoredShard>& shards) : shards_(shards) {
    for (size_t i = 0; i < shards_.size(); ++i) {
      known_.emplace(shards_[i].path, i);
    }
  }
  size_t Find(const std::string& path, bool add) {
    const auto [entry, added] = known_.try_emplace(path, shards_.size());
    if (added && add) {
      shards_.push_back({.path = path});
    }
    return entry->second;  // beyond the list when it is not in it; CheckManifest tells
  }
  void Extend(const StoredAllocation& a) {
    if (a.shard < shards_.size() && a.offset <= UINT64_MAX - a.aligned_size) {
      shards_[a.shard].bytes = std::max(shards_[a.shard].bytes, a.offset + a.aligned_size);
    }
  }

 private:
  std::vector<StoredShard>& shards_;
  SeededMap<std::string, size_t> known_;
};

std::string At(size_t index) { return fmt::format("allocations[{}]", index); }

std::string Path(Fields& fields, std::string_view name) {
  std::string path = fields.String(name, kPathLimit);
  if (fields.status().ok()) {
    if (const Status valid = CheckStoredPath(path); !valid.ok()) {
      fields.Fail(name, valid.message());
    }
  }
  return path;
}

// Versions 0 and 2 list allocations alike.
Status ReadAllocations(json::View list, Manifest& manifest, bool strict) {
  ShardList shards(manifest.shards);
  for (const json::View item : list.items()) {
    Fields fields(item, At(manifest.allocations.size()));
    StoredAllocation a;
    a.id = fields.String("allocation_id", kNameLimit);
    a.size = fields.Uint("size");
    a.aligned_size = fields.Uint("aligned_size");
    a.tag = fields.StringOr("tag", "default", kNameLimit);
    a.offset = fields.UintOr("tensor_offset", 0);
    a.shard = shards.Find(Path(fields, "tensor_file"), !strict);
    if (strict) {
      fields.OnlyThese(
          {"allocation_id", "size", "aligned_size", "tag", "tensor_file", "tensor_offset"});
    } else {
      shards.Extend(a);
    }
    RETURN_IF_ERROR(fields.status());
    manifest.allocations.push_back(std::move(a));
  }
  return {};
}

Result<Manifest> ReadV0(json::View object) {
  Fields fields(object, "manifest");
  Manifest manifest{.version = ManifestVersion::kV0};
  manifest.timestamp = fields.NumberOr("timestamp", 0);
  manifest.device = static_cast<int64_t>(fields.UintOr("device", 0));
  manifest.layout_hash = fields.StringOr("layout_hash", "", kHashLimit);
  const json::View list = fields.Array("allocations");
  RETURN_IF_ERROR(fields.status());
  RETURN_IF_ERROR(ReadAllocations(list, manifest, /*strict=*/false));
  return manifest;
}

Result<Manifest> ReadV1(json::View object) {
  Fields fields(object, "manifest");
  fields.OnlyThese({"version", "allocations"});
  Manifest manifest{.version = ManifestVersion::kV1};
  const json::View list = fields.Array("allocations");
  RETURN_IF_ERROR(fields.status());
  ShardList shards(manifest.shards);
  for (const json::View item : list.items()) {
    Fields entry(item, At(manifest.allocations.size()));
    entry.OnlyThese({"allocation_id", "aligned_size", "shard", "offset"});
    StoredAllocation a{.tag = "weights"};
    a.id = entry.String("allocation_id", kNameLimit);
    a.aligned_size = a.size = entry.Uint("aligned_size");
    a.offset = entry.Uint("offset");
    a.shard = shards.Find(Path(entry, "shard"), true);
    shards.Extend(a);
    RETURN_IF_ERROR(entry.status());
    manifest.allocations.push_back(std::move(a));
  }
  return manifest;
}

Status ReadCompatibility(json::View object, Manifest& manifest) {
  Fields fields(object, "compatibility");
  fields.OnlyThese({"model", "rank", "device_kind", "granularity", "layout_hash"});
  manifest.compatibility.model = fields.StringOr("model", "", kNameLimit);
  if (fields.Has("rank")) {
    manifest.compatibility.rank = static_cast<int64_t>(fields.Uint("rank"));
  }
  manifest.compatibility.device_kind = fields.String("device_kind", kNameLimit);
  manifest.compatibility.granularity = fields.Uint("granularity");
  if (fields.String("layout_hash", kHashLimit) != manifest.layout_hash) {
    fields.Fail("layout_hash", "is not the manifest's");
  }
  return fields.status();
}

Status ReadFiles(json::View shards, json::View files, Manifest& manifest) {
  for (const json::View item : shards.items()) {
    Fields fields(item, fmt::format("shards[{}]", manifest.shards.size()));
    fields.OnlyThese({"path", "bytes"});
    const std::string path = Path(fields, "path");
    manifest.shards.push_back({.path = path, .bytes = fields.Uint("bytes")});
    RETURN_IF_ERROR(fields.status());
  }
  for (const json::View item : files.items()) {
    Fields fields(item, fmt::format("files[{}]", manifest.files.size()));
    fields.OnlyThese({"path", "bytes", "xxh128"});
    const std::string path = Path(fields, "path");
    manifest.files.push_back(
        {.path = path, .bytes = fields.Uint("bytes"), .digest = fields.ReadDigest("xxh128")});
    RETURN_IF_ERROR(fields.status());
  }
  return {};
}

Status CheckV2(const Manifest& manifest) {
  if (!std::has_single_bit(manifest.chunk_bytes) || manifest.chunk_bytes < kMinChunkBytes ||
      manifest.chunk_bytes > kMaxChunkBytes) {
    return InvalidError(fmt::format("manifest: {} is no size of a chunk", manifest.chunk_bytes));
  }
  const bool complete = manifest.files.size() == 2 && manifest.files[0].path == kMetadataName &&
                        manifest.files[1].path == kChunkTableName;
  return complete ? Status()
                  : InvalidError(fmt::format("manifest: files must list {} and {}", kMetadataName,
                                             kChunkTableName));
}

Result<Manifest> ReadV2(json::View object, std::string_view text) {
  Fields fields(object, "manifest");
  fields.OnlyThese({"format", "version", "timestamp", "device", "layout_hash", "chunk_bytes",
                    "compatibility", "shards", "files", "allocations", "root_digest"});
  Manifest manifest;
  ASSIGN_OR_RETURN(manifest.root, CheckRootDigest(text));
  manifest.timestamp = fields.NumberOr("timestamp", 0);
  manifest.device = static_cast<int64_t>(fields.Uint("device"));
  manifest.layout_hash = fields.String("layout_hash", kHashLimit);
  manifest.chunk_bytes = fields.Uint("chunk_bytes");
  const json::View compatibility = fields.Object("compatibility");
  const json::View shards = fields.Array("shards");
  const json::View files = fields.Array("files");
  const json::View allocations = fields.Array("allocations");
  RETURN_IF_ERROR(fields.status());
  RETURN_IF_ERROR(ReadCompatibility(compatibility, manifest));
  RETURN_IF_ERROR(ReadFiles(shards, files, manifest));
  RETURN_IF_ERROR(ReadAllocations(allocations, manifest, /*strict=*/true));
  RETURN_IF_ERROR(CheckV2(manifest));
  return manifest;
}

Result<Manifest> ReadVersion(json::View object, std::string_view text) {
  if (!object.IsObject()) {
    return InvalidError("manifest: must be an object");
  }
  if (!object["version"].exists()) {
    // Ours always has one: without it, something was cut out of it.
    return object["format"].exists() ? InvalidError("manifest: there is no version")
                                     : ReadV0(object);
  }
  const std::optional<int64_t> version = object["version"].Int();
  if (version == 1) {
    return ReadV1(object);
  }
  if (version == 2 && object["format"].Equals(kArtifactFormat)) {
    return ReadV2(object, text);
  }
  return InvalidError(fmt::format("manifest: version {} is not known; it takes a newer program",
                                  Excerpt(object["version"].raw(), 40)));
}

}  // namespace

Status CheckStoredPath(std::string_view path) {
  std::string_view rest = path;
  if (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  for (const std::string_view part : Split(rest, '/')) {
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) {
      return InvalidError(fmt::format("is no path that may be used: {}", Excerpt(path, 200)));
    }
  }
  return {};
}

Result<Manifest> ReadManifest(std::string_view text, const ArtifactLimits& limits) {
  ASSIGN_OR_RETURN(const json::Blob blob,
                   json::Parse(text, {.max_bytes = limits.manifest_bytes, .max_depth = 16}));
  ASSIGN_OR_RETURN(Manifest manifest, ReadVersion(blob.view(), text));
  RETURN_IF_ERROR(CheckManifest(manifest, limits));
  return manifest;
}

}  // namespace hearth::gms::storage
