#include "agent/restore/cgroups.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "agent/host/cgroup_directories.h"
#include "agent/host/process_facts.h"

namespace hearth::agent {

Status JoinCgroupsOf(int pid, const HostPlaces& places) {
  ASSIGN_OR_RETURN(const std::string text, ProcReader(places.proc).CgroupText(pid));
  int joined = 0;
  for (const std::string& directory : CgroupDirectories(text, places.cgroups)) {
    std::ofstream file(directory + "/cgroup.procs");
    file << ::getpid() << std::flush;
    joined += file ? 1 : 0;
  }
  return joined > 0 ? Status::Ok()
                    : UnavailableError(fmt::format("no cgroup of process {} can be joined", pid));
}

}  // namespace hearth::agent
