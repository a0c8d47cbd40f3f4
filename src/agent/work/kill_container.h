#pragma once

#include <string_view>

#include "agent/container/container.h"
#include "agent/host/host_places.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// SIGKILL for what was restored into a container and for its first process, by pidfd, so never for
// somebody who inherited the number; one that is gone is fine.
Status KillContainer(ContainerRuntime& runtime, const HostPlaces& places,
                     std::string_view container_id, const WaitLimit& limit);

}  // namespace hearth::agent
