#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"

namespace hearth::snapshot::internal {

// Whether `path` and what is above it, up to `base`, are directories and no links, as far as they
// are there: whoever else has the volume may have put a link where we are about to make or to
// remove something. kDataLoss names it.
Status CheckNoLinks(FileSystem& files, std::string path, const std::string& base);

}  // namespace hearth::snapshot::internal
