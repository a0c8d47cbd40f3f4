#pragma once

#include <cstdint>

#include "agent/files/left_out.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

struct FilesReport {
  uint64_t files = 0;    // with links and devices, without directories
  uint64_t bytes = 0;    // of regular files, holes counted
  uint64_t deleted = 0;  // of the image
  uint64_t opaque = 0;   // directories that hide those of the image
  uint64_t sockets = 0;  // left out: who is bound to them binds them again
};

// Saves what a container has changed of its image: `upper` is the upper directory of its root's
// overlay, `images` a directory being filled that nobody else uses. Writes rootfs-diff.tar (POSIX
// tar; docs/formats/container-files.md) and, when there is something to say, deleted-files.json and
// opaque-directories.json, each of mode 0600 and not synced. The container's processes must be
// frozen. After an error, which names the file, none of the three is there.
// kUnsupported: the overlay keeps part of a file elsewhere. kConflict: a file changed meanwhile.
Result<FilesReport> SaveFiles(int upper, int images, const LeftOut& left_out,
                              const WaitLimit& limit);

}  // namespace hearth::agent
