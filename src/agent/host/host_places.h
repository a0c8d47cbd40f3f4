#pragma once

#include <string>

namespace hearth::agent {

// Where this machine shows what is known of its processes. In a container of our own they may be
// elsewhere (/host/proc).
struct HostPlaces {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
};

}  // namespace hearth::agent
