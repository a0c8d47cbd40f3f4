#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "agent/node/agent.h"
#include "agent/node/testing/mortal_transport.h"
#include "agent/node/testing/node_stand_in.h"
#include "base/log.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// One agent process in a test: a manager with the agent on it, the stand-in that does its work on a
// node, and a connection that can be cut. The node and the API server outlive it.
class AgentRig {
 public:
  // Times fit for tests: looking again often. A lease is not lost when the machine is busy; where
  // another agent waits for the end of one, it is to be shorter.
  static AgentOptions TestOptions();

  AgentRig(kube::Transport& transport, NodeState& node, AgentOptions options = TestOptions());
  ~AgentRig();  // stops

  // Runs; set outcomes before.
  void Start();
  // As SIGTERM would; what Run returned.
  Status Stop();
  // As SIGKILL would: from here on nothing it does has an effect.
  void Die();
  // Dies at the n-th step of node or API, counted from 0; `steps` has counted all of them.
  void DieAtStep(int n);
  int steps() const;
  std::string last_step() const;

  NodeStandIn& work() { return work_; }
  MortalTransport& transport() { return transport_; }
  controller::Manager& manager() { return *manager_; }
  Agent& agent() { return *agent_; }
  std::string Log() const;

 private:
  class Lines;
  bool Step(const std::string& step);

  std::shared_ptr<Lines> lines_;
  MortalTransport transport_;
  NodeStandIn work_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<Agent> agent_;
  std::stop_source stop_;
  Status ended_;
  mutable std::mutex mutex_;
  int steps_ = 0;
  int die_at_ = -1;
  std::string last_step_;
  std::thread thread_;
};

}  // namespace hearth::agent::node
