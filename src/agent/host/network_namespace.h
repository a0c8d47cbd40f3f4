#pragma once

#include <cstdint>
#include <string>

#include "agent/host/process_facts.h"
#include "base/result.h"
#include "base/unique_fd.h"

// Network namespaces are known by the numbers of their inodes, as /proc/PID/ns/net has them.
namespace hearth::agent {

// Holds one open, through any process that is in it (of a pod: another container's, or the one that
// only keeps the pod), or where it is mounted on the node, as runtimes keep networks of pods in
// which nobody is. kNotFound: neither is there, so nobody is in it and nobody will be.
Result<UniqueFd> OpenNetworkNamespace(const std::string& proc, uint64_t inode);

// The path of a namespace that is held open, for programs that we start.
std::string PathForPrograms(const UniqueFd& held);

// Whether a container's network is the node's own, or ours, so that all of it would stand still
// with the container. `starter` is the parent of the container's first process: runtimes are in the
// node's network. Some machines do not tell the network of their first process even to root.
bool IsNodeNetwork(const ProcReader& proc, uint64_t inode, int starter);

}  // namespace hearth::agent
