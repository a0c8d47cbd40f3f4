#include <fmt/format.h>

#include "base/base64.h"
#include "gms/storage/internal/root_digest.h"
#include "gms/storage/manifest.h"
#include "json/builder.h"

namespace hearth::gms::storage {
namespace {

void Add(json::Builder& b, const Compatibility& c, const std::string& layout_hash) {
  b.BeginObject();
  if (!c.model.empty()) {
    b.Key("model").String(c.model);
  }
  if (c.rank) {
    b.Key("rank").Int(*c.rank);
  }
  b.Key("device_kind").String(c.device_kind);
  b.Key("granularity").Uint(c.granularity);
  b.Key("layout_hash").String(layout_hash);
  b.EndObject();
}

void Add(json::Builder& b, const StoredAllocation& a, const Manifest& manifest) {
  b.BeginObject();
  b.Key("allocation_id").String(a.id);
  b.Key("size").Uint(a.size);
  b.Key("aligned_size").Uint(a.aligned_size);
  b.Key("tag").String(a.tag);
  b.Key("tensor_file").String(manifest.shards[a.shard].path);
  b.Key("tensor_offset").Uint(a.offset);
  b.EndObject();
}

void AddFiles(json::Builder& b, const Manifest& manifest) {
  b.Key("shards").BeginArray();
  for (const StoredShard& shard : manifest.shards) {
    b.BeginObject().Key("path").String(shard.path).Key("bytes").Uint(shard.bytes).EndObject();
  }
  b.EndArray().Key("files").BeginArray();
  for (const RequiredFile& file : manifest.files) {
    b.BeginObject().Key("path").String(file.path).Key("bytes").Uint(file.bytes);
    b.Key("xxh128").String(file.digest.Hex()).EndObject();
  }
  b.EndArray();
}

}  // namespace

std::string WriteManifest(const Manifest& manifest) {
  json::Builder b;
  b.BeginObject();
  b.Key("format").String(kArtifactFormat);
  b.Key("version").Int(2);
  b.Key("timestamp").Double(manifest.timestamp);
  b.Key("device").Int(manifest.device);
  b.Key("layout_hash").String(manifest.layout_hash);
  b.Key("chunk_bytes").Uint(manifest.chunk_bytes);
  b.Key("compatibility");
  Add(b, manifest.compatibility, manifest.layout_hash);
  AddFiles(b, manifest);
  b.Key("allocations").BeginArray();
  for (const StoredAllocation& allocation : manifest.allocations) {
    Add(b, allocation, manifest);
  }
  b.EndArray().EndObject();
  return WithRootDigest(b.Take());
}

std::string WriteMetadata(const std::vector<StoredMetadata>& metadata) {
  json::Builder b;
  b.BeginObject();
  for (const StoredMetadata& entry : metadata) {
    b.Key(entry.key).BeginObject();
    b.Key("allocation_id").String(entry.allocation_id);
    b.Key("offset_bytes").Uint(entry.offset_bytes);
    b.Key("value").String(EncodeBase64(entry.value));
    b.EndObject();
  }
  return b.EndObject().Take() + "\n";
}

}  // namespace hearth::gms::storage
