#pragma once

#include "agent/host/host_places.h"
#include "base/result.h"

namespace hearth::agent {

// Puts this process where `pid` is, so that the limits of its container are ours and our
// children's. kUnavailable when it is nowhere that we can go.
Status JoinCgroupsOf(int pid, const HostPlaces& places);

}  // namespace hearth::agent
