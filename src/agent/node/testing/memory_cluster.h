#pragma once

#include <memory>

#include "agent/node/testing/agent_rig.h"
#include "agent/node/testing/cluster.h"
#include "agent/node/testing/node_stand_in.h"
#include "controller/testing/memory_api.h"
#include "kube/client/transport.h"
#include "net/event_loop.h"

namespace hearth::agent::node {

// An API server in memory, a node, and as many agents as a test wants.
class MemoryCluster {
 public:
  std::unique_ptr<AgentRig> NewAgent(AgentOptions options = AgentRig::TestOptions()) {
    return std::make_unique<AgentRig>(*transport_, node, std::move(options));
  }

 private:
  net::EventLoop loop_{"test"};

 public:
  controller::MemoryApi api;
  NodeState node;

 private:
  std::unique_ptr<kube::Transport> transport_ = kube::MakeHandlerTransport(loop_, api.Handler());

 public:
  Cluster cluster{*transport_, "ns"};
};

}  // namespace hearth::agent::node
