#pragma once

#include <string>

#include "agent/restore/adapted_images.h"
#include "agent/restore/plan.h"
#include "agent/restore/restored.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Descriptors that a restore in a container brings along; -1: none.
struct Brought {
  int target = -1;  // a pidfd of the placeholder
  int log = -1;     // takes a copy of CRIU's log
};

// The part of a restore that happens within the container's namespaces, from a root of our own
// (EnterPrivateRoot): puts the changed files in their places, makes room, runs CRIU, fills the
// memory, and leaves everything else as it was. `bundle` is a directory as seen from there,
// `images` an artifact that is shown there. Nothing runs before every byte of the pages was
// verified, if there are digests; small files are the caller's to verify. kDataLoss names file and
// chunk. On other failures the message has CRIU's cause.
Result<Restored> RestoreInContainer(const RestorePlan& plan, const std::string& bundle,
                                    AdaptedImages& images, const Brought& brought,
                                    const WaitLimit& limit);

}  // namespace hearth::agent
