#pragma once

#include <string>
#include <string_view>

// How the operator and the agent of a node find each other.
namespace hearth::snapshot {

// The value of kNodeLabel for a node: its name, or, where that is too long for a label, its
// beginning and a hash of all of it. Agents choose their contents by it.
std::string NodeLabelValue(std::string_view node);

// The agent of each node renews a Lease, so that others can tell when it falls silent: labelled
// kComponentLabel=kAgentComponent, in the agent's namespace, spec.holderIdentity the node's name.
// An agent that ends leaves the Lease behind.
inline constexpr std::string_view kComponentLabel = "app.kubernetes.io/component";
inline constexpr std::string_view kAgentComponent = "snapshot-agent";
inline constexpr int kAgentLeaseSeconds = 40;
inline constexpr int kAgentRenewSeconds = 10;
// "snapshot-agent-<node>", shortened like a label when a name cannot be so long.
std::string AgentLeaseName(std::string_view node);

}  // namespace hearth::snapshot
