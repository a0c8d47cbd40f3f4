#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/process_runner.h"
#include "base/status.h"
#include "base/wait_limit.h"

// While CRIU captures a container that has a network of its own, or its pod's, a chain of iptables
// drops what comes and goes there. CRIU removes it, unless it is killed.
namespace hearth::agent {

// Removes that chain from the network namespace at `network` ("/proc/7/ns/net"), of IPv4 and IPv6.
// Nobody may be capturing in that network. Where iptables is not installed CRIU has made none.
Status ReleasePackets(ProcessRunner& runner, const std::string& network, const WaitLimit& limit);

// What to tell iptables, in this order, to be rid of CRIU's part of what it lists (-S). Pure.
std::vector<std::vector<std::string>> RemovalOfRules(std::string_view listing);

}  // namespace hearth::agent
