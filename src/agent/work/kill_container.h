#pragma once

#include <string_view>

#include "agent/container/container.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// SIGKILL for a container's first process, by pidfd, so never for somebody who inherited the
// number; one that is gone is fine.
Status KillContainer(ContainerRuntime& runtime, std::string_view container_id,
                     const WaitLimit& limit);

}  // namespace hearth::agent
