#include "agent/host/cgroup_directories.h"

#include <filesystem>
#include <utility>

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

std::vector<std::string> CgroupDirectories(std::string_view cgroup_text,
                                           const std::string& cgroups) {
  std::vector<std::string> directories;
  for (const auto& [controllers, path] : ParseCgroups(cgroup_text)) {
    for (const std::string& mount : Mounts(controllers)) {
      std::string directory = cgroups + mount;
      directory += path == "/" ? "" : path;
      std::error_code error;
      if (std::filesystem::exists(directory + "/cgroup.procs", error)) {
        directories.push_back(std::move(directory));
        break;
      }
    }
  }
  return directories;
}

}  // namespace hearth::agent
