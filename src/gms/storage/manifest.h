#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gms/storage/artifact.h"

// The JSON files of an artifact as text, and back. Pure. What is read is foreign: everything is
// checked, and nothing that is read can make a reader leave the artifact's directory.
namespace hearth::gms::storage {

inline constexpr std::string_view kArtifactFormat = "hearth-gms-artifact";

// Version 2. Its root digest is worked out here. Who reads version 0 can read it, too.
std::string WriteManifest(const Manifest& manifest);
// Any version. kInvalid, kExhausted as CheckManifest; kDataLoss when the root digest does not fit.
Result<Manifest> ReadManifest(std::string_view text, const ArtifactLimits& limits = {});

std::string WriteMetadata(const std::vector<StoredMetadata>& metadata);
Result<std::vector<StoredMetadata>> ReadMetadata(std::string_view text,
                                                 const ArtifactLimits& limits = {});

// Ok for a path that may stand in a manifest: relative and staying below, or absolute; without
// "..", "." and empty parts.
Status CheckStoredPath(std::string_view path);

}  // namespace hearth::gms::storage
