#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::agent {

// One line of /proc/PID/mountinfo.
struct MountEntry {
  int id = 0;
  int parent = 0;
  std::string device;  // "0:52"
  std::string root;    // what of the file system is mounted
  std::string mount_point;
  std::string options;
  std::string type;
  std::string source;
  std::string super_options;
};

// Names with blanks and the like are given as they are, not as the kernel escapes them. kInvalid
// names the line that is none.
Result<std::vector<MountEntry>> ParseMountInfo(std::string_view text);

// The layer that a container's changes are in: of the overlay at its "/". `container` is what its
// own mountinfo has, `outside` that of somebody whose mounts it cannot make. In a user namespace of
// its own a container may mount an overlay that names any directory whatever, so of its root only
// the kernel's number is believed, and the mount of that number outside says where the layer is.
// kUnsupported when the root is something else, or is not mounted outside; the message says what.
Result<std::string> OverlayUpperDirectory(const std::vector<MountEntry>& container,
                                          const std::vector<MountEntry>& outside);

}  // namespace hearth::agent
