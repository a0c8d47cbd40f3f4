#pragma once

#include <string>
#include <vector>

#include "agent/host/mount_info.h"
#include "agent/host/process_facts.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// The directory that a container's changes are in, held open.
struct UpperLayer {
  std::string path;  // as those who mounted it see it
  UniqueFd directory;
};

// Finds and opens it as seen by whoever started the container (`parent`, the parent of its first
// process) or by ourselves, but only by who is in our user namespace: the mounts of another one may
// be anybody's. `mounts` are the container's. kUnsupported: the root is no overlay, or not one that
// was mounted for the container; kNotFound, kInternal: the directory cannot be opened.
Result<UpperLayer> OpenUpperLayer(const ProcReader& proc, const std::vector<MountEntry>& mounts,
                                  int parent);

}  // namespace hearth::agent
