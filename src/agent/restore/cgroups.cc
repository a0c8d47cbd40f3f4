#include "agent/restore/cgroups.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/host/process_facts.h"

namespace hearth::agent {
namespace {

// Folders that a hierarchy may be mounted at.
std::vector<std::string> Mounts(std::string_view controllers) {
  if (controllers.empty()) {
    return {"", "/unified"};
  }
  constexpr std::string_view kNamed = "name=";
  if (controllers.starts_with(kNamed)) {
    controllers.remove_prefix(kNamed.size());
  }
  return {"/" + std::string(controllers)};
}

}  // namespace

std::vector<std::string> ProcsFilesOf(std::string_view cgroup_text, const std::string& cgroups) {
  std::vector<std::string> files;
  for (const auto& [controllers, path] : ParseCgroups(cgroup_text)) {
    for (const std::string& mount : Mounts(controllers)) {
      std::error_code error;
      std::string file =
          fmt::format("{}{}{}/cgroup.procs", cgroups, mount, path == "/" ? "" : path);
      if (std::filesystem::exists(file, error)) {
        files.push_back(std::move(file));
        break;
      }
    }
  }
  return files;
}

Status JoinCgroupsOf(int pid, const HostPlaces& places) {
  ASSIGN_OR_RETURN(const std::string text, ProcReader(places.proc).CgroupText(pid));
  int joined = 0;
  for (const std::string& path : ProcsFilesOf(text, places.cgroups)) {
    std::ofstream file(path);
    file << ::getpid() << std::flush;
    joined += file ? 1 : 0;
  }
  return joined > 0 ? Status::Ok()
                    : UnavailableError(fmt::format("no cgroup of process {} can be joined", pid));
}

}  // namespace hearth::agent
