#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agent/node/agent.h"
#include "agent/node/node_work.h"
#include "agent/node/settings.h"
#include "base/log.h"
#include "base/result.h"
#include "base/stop_signal.h"

namespace hearth::agent::node {

// What works on a node, and what must hold before it can: "runtime" answers, "criu" is checked.
struct NodeParts {
  std::unique_ptr<NodeWork> work;
  std::vector<ReadyCheck> checks;
};
// `manager` outlives what is made.
using NodeFactory = std::function<Result<NodeParts>(
    const Settings& settings, controller::Manager& manager, const Logger& log)>;

// The program snapshot-agent: reads its settings, builds the agent, runs until it is told to stop.
// The exit code: 0 after a stop, 1 after anything that kept it from starting, which it says on
// stderr.
int RunSnapshotAgent(int argc, const char* const* argv, const StopSignal& stop,
                     const NodeFactory& make_node);

// What RunSnapshotAgent reads before it starts anything. `environment` gives the value of a
// variable, empty when it is not set.
using Environment = std::function<std::string(const char* name)>;
Result<OptionTable::Parsed> ReadSettings(int argc, const char* const* argv,
                                         const Environment& environment, Settings& settings,
                                         std::string& help);

}  // namespace hearth::agent::node
