#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::snapshot {

// Ids and versions become folder names, so they are letters, digits, '-', '_' and '.', and neither
// "." nor "..". An id is a label's value, too: at most 63 characters, a letter or digit at both
// ends.
Status CheckCheckpointId(std::string_view id);
Status CheckArtifactVersion(std::string_view version);

inline constexpr std::string_view kDefaultArtifactVersion = "1";
// Blanks removed; kDefaultArtifactVersion for none.
std::string ArtifactVersionOr1(std::string_view text);

// "manual-snapshot-<nanoseconds since 1970>".
std::string ManualCheckpointId(WallTime now);
// "checkpoint-job-<id>-<version>".
std::string CheckpointJobName(std::string_view id, std::string_view version);

// Where things are under the base directory of a storage. Whose an artifact is, is written in it:
// whoever restores compares namespaces.
//   <base>/<id>/versions/<version>            the artifact
//   <base>/<id>/versions/tmp/<attempt>        while it is made
//   <base>/gms/<id>/versions/<version>        what the memory service saved
inline constexpr std::string_view kStagingFolder = "tmp";
inline constexpr std::string_view kGmsFolder = "gms";
class StorageLayout {
 public:
  // `base` must be absolute, without "." or "..", and not "/" itself; slashes at its end are fine.
  static Result<StorageLayout> Create(std::string_view base);

  Result<std::string> Artifact(std::string_view id, std::string_view version) const;
  Result<std::string> Staging(std::string_view id, std::string_view attempt) const;
  Result<std::string> Gms(std::string_view id, std::string_view version) const;
  const std::string& base() const { return base_; }

 private:
  explicit StorageLayout(std::string base) : base_(std::move(base)) {}
  std::string base_;
};

}  // namespace hearth::snapshot
