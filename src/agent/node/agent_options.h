#pragma once

#include <string>

#include "agent/node/budget.h"
#include "base/clock.h"

namespace hearth::agent::node {

// How the control loops of one node behave.
struct AgentOptions {
  std::string node;            // whose pods and orders are ours
  std::string name_space;      // the agent's own: where leases of its own are
  std::string only_namespace;  // look at pods of this one alone; empty: all
  std::string identity;        // of this process, in leases: "snapshot-agent/<uuid>"
  Duration capture_timeout = std::chrono::hours(2);
  Duration restore_timeout = std::chrono::hours(2);
  // How long the runtime is asked for a container that the kubelet has not told of.
  Duration resolve_timeout = std::chrono::seconds(30);
  // What nobody tells of, artifacts that others store, is looked for so often.
  Duration look_again = std::chrono::seconds(10);
  // How long what runs may go on when the agent is told to end; what only waits ends at once.
  Duration drain = std::chrono::minutes(5);
  Duration lease_duration = std::chrono::seconds(30);
  Duration lease_renew_period = std::chrono::seconds(10);
  Duration heartbeat_period = std::chrono::seconds(10);
  bool needs_pod_ip = true;       // restored connections are moved to the pod's address
  bool other_namespaces = false;  // restore what was captured in another namespace
  Budget::Limits limits;
};

}  // namespace hearth::agent::node
