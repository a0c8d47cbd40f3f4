#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/node/agent_options.h"
#include "agent/node/node_work.h"
#include "base/result.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// Something that must hold before the agent is ready: "runtime", "criu". Asked from any thread.
struct ReadyCheck {
  std::string name;
  std::function<Status()> check;
};

// The snapshot agent of one node: puts its caches, loops, heartbeat and checks on a manager. Make
// it before the manager runs; it must live until Run has returned and go before the manager.
// `work` must outlive it.
class Agent {
 public:
  // kInvalid: something without which it cannot know its own work is missing.
  static Result<std::unique_ptr<Agent>> Create(controller::Manager& manager, NodeWork& work,
                                               AgentOptions options,
                                               std::vector<ReadyCheck> checks = {});
  ~Agent();

  // Captures, restores and waits that run now.
  size_t running() const;

 private:
  struct Impl;
  explicit Agent(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Which objects an agent watches: pure.
controller::Scope ContentScope(const AgentOptions& options);
controller::Scope SourceScope(const AgentOptions& options);
controller::Scope RestoreScope(const AgentOptions& options);

}  // namespace hearth::agent::node
