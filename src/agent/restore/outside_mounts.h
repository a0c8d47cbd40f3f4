#pragma once

#include <vector>

#include "agent/criu/request.h"
#include "base/result.h"

namespace hearth::agent {

// What CRIU mounts again from outside of what it restores, which is the container that waits: named
// by places in that, and then by places in our root (EnterPrivateRoot), which it cannot change
// while CRIU goes there. The device that masks files is the node's. What the container does not
// have is left to CRIU to tell. kPermissionDenied: a link is in the way.
Status ShowOutsideMounts(int container, std::vector<criu::Mount>& mounts);

}  // namespace hearth::agent
