#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/host/host_places.h"
#include "agent/host/process_facts.h"
#include "base/result.h"
#include "base/wait_limit.h"

// What was restored into a container is in a pid namespace within the container's: the container's
// first process, which only waited, is not among it.
namespace hearth::agent {

// A container's processes, the first one (`pid`) first. Where a pod's containers share their
// processes, who is restored is nobody's child in the container: there those in its cgroups belong
// to it, too.
Result<std::vector<ProcessFacts>> ContainerProcesses(const HostPlaces& places, int pid);

// Of those, the first of each pid namespace within: what ends with it is all that is in there.
std::vector<ProcessFacts> NestedRoots(const std::vector<ProcessFacts>& processes);

// Kills all that was restored into a container, and leaves its first process. Finds what has lost
// its parents to the container's first process: a restore that is under way may be missed.
Status KillRestored(const HostPlaces& places, int pid);

// The same however far the restore came, and waits for the end: what it holds (ports, files) is
// free then. Found by pid namespace, where the container has one of its own: processes that CRIU
// has made are not the container's children before all of CRIU has ended. Whoever restores is to be
// ended first (EndMarked). kNotFound: the container has ended. A limit of the machine's clock.
Status EndRestored(const HostPlaces& places, int pid, const WaitLimit& limit);

// The first process of what a container runs: its own (`pid`), unless that one only waits and what
// runs was restored into it. kUnavailable: that has ended.
Result<int> FirstOfWorkload(const HostPlaces& places, int pid);

// A mark on the container's cgroups that what it runs was restored into it, with a word about that;
// the last one counts. Lives as long as they do; processes in the container cannot make one.
// kUnavailable: there is no cgroup to put it on.
inline constexpr std::string_view kRestoredHere = "1";  // no more than that
Status MarkRestored(const HostPlaces& places, int pid, std::string_view word = kRestoredHere);
bool IsMarkedRestored(const HostPlaces& places, int pid);
// Empty: there is no mark.
std::string RestoredMark(const HostPlaces& places, int pid);

}  // namespace hearth::agent
