#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/host/host_places.h"
#include "base/result.h"

namespace hearth::agent {

// The cgroup.procs files of the groups that a process is in, by the text of /proc/PID/cgroup; those
// that are not mounted are left out. Unified, old, or both.
std::vector<std::string> ProcsFilesOf(std::string_view cgroup_text, const std::string& cgroups);

// Puts this process where `pid` is, so that the limits of its container are ours and our
// children's. kUnavailable when it is nowhere that we can go.
Status JoinCgroupsOf(int pid, const HostPlaces& places);

}  // namespace hearth::agent
