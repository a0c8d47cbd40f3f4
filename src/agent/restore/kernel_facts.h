#pragma once

#include <string>

#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// What CRIU finds out about a kernel before it does anything else, which takes it longer than the
// restore of a small process. It would keep that itself, but only in a /run that goes with the
// kernel, and that of a container does not.

// Where a node keeps it for this boot and the CRIU in `bundle`, below `directory`. A program in an
// image has no date of its own, so it is known by its size and by when it came to this node, too.
std::string KernelFactsPath(const std::string& directory, const std::string& bundle);

// Read from `path`, which only root may write to; found out and kept there the first time, and what
// is there of earlier boots is removed. Empty when that does not work, or not within the limit:
// CRIU asks the kernel itself then. Only for a process without other threads.
std::string ReadKernelFacts(const std::string& path, const std::string& bundle,
                            const WaitLimit& limit);

// Lets CRIU find it, after EnterPrivateRoot: what a container has put into its /run, which CRIU
// would believe, is not there.
Status GiveKernelFacts(const std::string& facts);

}  // namespace hearth::agent
