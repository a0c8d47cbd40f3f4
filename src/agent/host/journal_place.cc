#include "agent/host/journal_place.h"

#include <fmt/format.h>

#include <filesystem>

#include "agent/host/mount_info.h"
#include "base/file_system.h"

namespace hearth::agent {
namespace {

bool Holds(const std::string& mount_point, const std::string& directory) {
  return mount_point == "/" || directory == mount_point || directory.starts_with(mount_point + "/");
}

// The one whose files are seen at a path: the deepest, and of several at one place the last.
const MountEntry* MountOf(const std::vector<MountEntry>& mounts, const std::string& path) {
  const MountEntry* found = nullptr;
  for (const MountEntry& mount : mounts) {
    if (Holds(mount.mount_point, path) &&
        (found == nullptr || mount.mount_point.size() >= found->mount_point.size())) {
      found = &mount;
    }
  }
  return found;
}

// A memory file system of which all is mounted was made for us; what is of the node is a part of
// the node's.
bool GoesWithPod(const MountEntry& mount) {
  return mount.root.find("/kubernetes.io~empty-dir/") != std::string::npos ||
         (mount.type == "tmpfs" && mount.root == "/");
}

Status Lost(const std::string& directory, std::string_view with) {
  return InvalidError(fmt::format(
      "the journal directory {} is gone with {}, and with it what a killed agent was doing: "
      "containers that it held would stay frozen. Mount a directory of the node there "
      "(hostPath /run/hearth in deploy/agent/daemonset.yaml), or name another with "
      "--journal-directory",
      directory, with));
}

}  // namespace

Status CheckOutlivesContainer(std::string_view mount_info, const std::string& directory) {
  ASSIGN_OR_RETURN(const std::vector<MountEntry> mounts, ParseMountInfo(mount_info));
  const MountEntry* const root = MountOf(mounts, "/");
  const MountEntry* const mount = MountOf(mounts, directory);
  if (root == nullptr || root->type != "overlay") {
    return Status::Ok();
  }
  if (mount->mount_point == "/") {
    return Lost(directory, "the agent's container");
  }
  return GoesWithPod(*mount) ? Lost(directory, "the agent's pod") : Status::Ok();
}

Status CheckJournalPlace(const std::string& directory) {
  RETURN_IF_ERROR(RealFileSystem().MakeDirectories(directory, 0700));
  std::error_code error;
  const auto place = std::filesystem::canonical(directory, error);
  if (error) {
    return Status::FromErrno(error.value(), directory);
  }
  ASSIGN_OR_RETURN(const std::string mounts,
                   RealFileSystem().Read("/proc/self/mountinfo", 16 << 20));
  return CheckOutlivesContainer(mounts, place.string());
}

}  // namespace hearth::agent
