#pragma once

#include "agent/container/container.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

struct AwaitOptions {
  // How often it is looked for while events tell when, and where they do not.
  Duration look_anyway = std::chrono::seconds(1);
  Duration look_without_events = std::chrono::milliseconds(50);
};

// Waits until the container of that pod runs: looks, and looks again whenever the runtime tells
// that a container has started. A runtime that is away meanwhile is waited for as well.
Result<Container> AwaitContainer(ContainerRuntime& runtime, const PodContainer& which,
                                 const WaitLimit& limit, Clock& clock,
                                 const AwaitOptions& options = {});

}  // namespace hearth::agent
