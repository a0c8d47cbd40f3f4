#pragma once

#include <vector>

#include "agent/host/host_places.h"
#include "agent/host/process_facts.h"
#include "base/result.h"

// What was restored into a container is in a pid namespace within the container's: the container's
// first process, which only waited, is not among it.
namespace hearth::agent {

// A container's processes, the first one (`pid`) first. Where a pod's containers share their
// processes, who is restored is nobody's child in the container: there those in its cgroups belong
// to it, too.
Result<std::vector<ProcessFacts>> ContainerProcesses(const HostPlaces& places, int pid);

// Of those, the first of each pid namespace within: what ends with it is all that is in there.
std::vector<ProcessFacts> NestedRoots(const std::vector<ProcessFacts>& processes);

// Kills all that was restored into a container, and leaves its first process.
Status KillRestored(const HostPlaces& places, int pid);

// A mark on the container's cgroups that what it runs was restored into it. Lives as long as they
// do; processes in the container cannot make one. kUnavailable: there is no cgroup to put it on.
Status MarkRestored(const HostPlaces& places, int pid);
bool IsMarkedRestored(const HostPlaces& places, int pid);

}  // namespace hearth::agent
