#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "snapshot/artifact/manifest.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::agent::receive {

// Makes and publishes an artifact of these files; those of pages are compressed as a capture does
// it.
Status PublishPacked(const snapshot::StorageLayout& layout, const snapshot::Manifest& manifest,
                     const std::map<std::string, std::string>& files);

}  // namespace hearth::agent::receive
