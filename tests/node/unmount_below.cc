#include "unmount_below.h"

#include <sys/mount.h>
#include <unistd.h>

#include <vector>

#include "agent/host/mount_info.h"
#include "agent/host/process_facts.h"

namespace hearth::node {

void UnmountBelow(const std::string& directory) {
  const std::string text = agent::ProcReader().MountInfo(::getpid()).value_or("");
  const auto mounts = agent::ParseMountInfo(text).value_or(std::vector<agent::MountEntry>());
  // The last ones first: they may lie on others.
  for (auto mount = mounts.rbegin(); mount != mounts.rend(); ++mount) {
    if (mount->mount_point.starts_with(directory + "/")) {
      ::umount2(mount->mount_point.c_str(), MNT_DETACH);
    }
  }
}

}  // namespace hearth::node
