#pragma once

#include <map>
#include <string>

#include "base/file_system.h"
#include "snapshot/artifact/staging.h"

namespace hearth::snapshot {

// A manifest that is complete enough to be published.
Manifest SampleManifest(const std::string& id, const std::string& version = "1");

// Makes and publishes an artifact of these files; returns its root digest.
Result<disk::Digest> PublishSample(FileSystem& files, const StorageLayout& layout,
                                   const Manifest& manifest,
                                   const std::map<std::string, std::string>& content,
                                   IfThere if_there = IfThere::kRefuse);

}  // namespace hearth::snapshot
