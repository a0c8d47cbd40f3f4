#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/strings.h"
#include "gms/storage/internal/fields.h"
#include "gms/storage/manifest.h"
#include "json/parse.h"

namespace hearth::gms::storage {
namespace {

constexpr size_t kNameLimit = 4096;

Result<StoredMetadata> ReadEntry(const json::Member& member) {
  StoredMetadata entry{.key = member.Name()};
  Fields fields(member.value, fmt::format("metadata {}", Excerpt(entry.key, 80)));
  fields.OnlyThese({"allocation_id", "offset_bytes", "value"});
  entry.allocation_id = fields.String("allocation_id", kNameLimit);
  entry.offset_bytes = fields.Uint("offset_bytes");
  const std::string encoded = fields.String("value", SIZE_MAX);
  RETURN_IF_ERROR(fields.status());
  ASSIGN_OR_RETURN(entry.value, DecodeBase64(encoded).WithContext(
                                    fmt::format("metadata {}", Excerpt(entry.key, 80))));
  return entry;
}

}  // namespace

Result<std::vector<StoredMetadata>> ReadMetadata(std::string_view text,
                                                 const ArtifactLimits& limits) {
  ASSIGN_OR_RETURN(const json::Blob blob,
                   json::Parse(text, {.max_bytes = limits.metadata_bytes, .max_depth = 16}));
  if (!blob.view().IsObject()) {
    return InvalidError("metadata: must be an object");
  }
  std::vector<StoredMetadata> metadata;
  for (const json::Member& member : blob.view().members()) {
    ASSIGN_OR_RETURN(StoredMetadata entry, ReadEntry(member));
    metadata.push_back(std::move(entry));
  }
  std::sort(metadata.begin(), metadata.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return metadata;
}

}  // namespace hearth::gms::storage
