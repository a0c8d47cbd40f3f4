#pragma once

#include "agent/node/program.h"

namespace hearth::agent {

// The real node: its container runtime, CRIU, CUDA's driver where there is one, and the store of
// artifacts. Sets right what an agent before this one has left when it was killed. kNotFound: CRIU
// or what restores need is not where the settings say. kInvalid: in a pod, when the journals would
// be gone with it; outside of one that is a warning.
Result<node::NodeParts> MakeRealNode(const node::Settings& settings, controller::Manager& manager,
                                     const Logger& log);

}  // namespace hearth::agent
