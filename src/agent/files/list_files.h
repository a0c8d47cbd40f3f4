#pragma once

#include <vector>

#include "agent/files/file_entry.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// What is in the archive of a container's files, in its order; nothing when there is none. Where
// holes are is not told. Errors are those of a damaged archive.
Result<std::vector<FileEntry>> ListFiles(int images, const WaitLimit& limit);

}  // namespace hearth::agent
