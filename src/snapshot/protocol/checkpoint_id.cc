#include "snapshot/protocol/checkpoint_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/strings.h"

namespace hearth::snapshot {
namespace {

constexpr size_t kLongestLabelValue = 63;

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsPathSafe(std::string_view name) {
  const auto allowed = [](char c) { return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-'; };
  return !name.empty() && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), allowed);
}

Status Bad(std::string_view what, std::string_view value, std::string_view rule) {
  return InvalidError(fmt::format("{} '{}' {}", what, Excerpt(value, 100), rule));
}

}  // namespace

Status CheckCheckpointId(std::string_view id) {
  if (!IsPathSafe(id)) {
    return Bad("checkpoint id", id,
               "must consist of letters, digits, '-', '_' and '.', and be neither . nor ..");
  }
  if (id.size() > kLongestLabelValue || !IsAlphanumeric(id.front()) || !IsAlphanumeric(id.back())) {
    return Bad("checkpoint id", id,
               "must be a label's value: 63 characters at most, a letter or digit at both ends");
  }
  return Status::Ok();
}

Status CheckArtifactVersion(std::string_view version) {
  if (!IsPathSafe(version) || version.size() > kLongestLabelValue) {
    return Bad("artifact version", version,
               "must be 1 to 63 letters, digits, '-', '_' and '.', and neither . nor ..");
  }
  if (version == kStagingFolder) {
    return Bad("artifact version", version, "is the folder of artifacts that are being made");
  }
  return Status::Ok();
}

std::string ArtifactVersionOr1(std::string_view text) {
  const std::string_view trimmed = Trim(text);
  return std::string(trimmed.empty() ? kDefaultArtifactVersion : trimmed);
}

std::string ManualCheckpointId(WallTime now) {
  return fmt::format(
      "manual-snapshot-{}",
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count());
}

std::string CheckpointJobName(std::string_view id, std::string_view version) {
  return fmt::format("checkpoint-job-{}-{}", id, ArtifactVersionOr1(version));
}

Result<StorageLayout> StorageLayout::Create(std::string_view base) {
  std::string_view path = base;
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  if (path == "/" || !path.starts_with('/')) {
    return Bad("storage directory", base, "must be an absolute path below /");
  }
  for (const std::string_view part : Split(path.substr(1), '/')) {
    if (part.empty() || part == "." || part == "..") {
      return Bad("storage directory", base, "must not have empty parts, . or ..");
    }
  }
  return StorageLayout(std::string(path));
}

Result<std::string> StorageLayout::Artifact(std::string_view id, std::string_view version) const {
  RETURN_IF_ERROR(CheckCheckpointId(id));
  RETURN_IF_ERROR(CheckArtifactVersion(version));
  if (id == kGmsFolder) {
    return Bad("checkpoint id", id, "is the folder of the memory service");
  }
  return fmt::format("{}/{}/versions/{}", base_, id, version);
}

Result<std::string> StorageLayout::Staging(std::string_view id, std::string_view attempt) const {
  RETURN_IF_ERROR(CheckArtifactVersion(attempt));
  ASSIGN_OR_RETURN(const std::string artifact, Artifact(id, kDefaultArtifactVersion));
  return fmt::format("{}/{}/versions/{}/{}", base_, id, kStagingFolder, attempt);
}

Result<std::string> StorageLayout::Gms(std::string_view id, std::string_view version) const {
  RETURN_IF_ERROR(CheckCheckpointId(id));
  RETURN_IF_ERROR(CheckArtifactVersion(version));
  return fmt::format("{}/{}/{}/versions/{}", base_, kGmsFolder, id, version);
}

}  // namespace hearth::snapshot
