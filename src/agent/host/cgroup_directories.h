#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent {

// Directories of the cgroups that a process is in, by the text of /proc/PID/cgroup; those that are
// not mounted at `cgroups` are left out. Unified, old, or both.
std::vector<std::string> CgroupDirectories(std::string_view cgroup_text,
                                           const std::string& cgroups);

}  // namespace hearth::agent
