#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/mount_info.h"

namespace hearth::agent {

// What the container's runtime was told to mount. Paths within the container.
struct ManagedPaths {
  std::vector<std::string> mounts;    // destinations
  std::vector<std::string> masked;    // covered with nothing
  std::vector<std::string> readonly;  // mounted on themselves
};

enum class MountFate {
  kExternal,  // the pod that is restored into brings it
  kSkipped,   // neither saved nor made again
  kSaved,     // CRIU saves the contents and makes it again
};
struct MountDecision {
  std::string mount_point;
  MountFate fate = MountFate::kExternal;
  std::string_view why;
};

struct MountPlan {
  std::map<std::string, std::string> external;  // mount point to its name in the images
  std::vector<std::string> skipped;
  std::vector<MountDecision> decisions;  // of every mount, for people
};

// What a capture does with each mount of a container. Pure but for `resolve`, which follows the
// links of a path within the container's root, and `is_directory` there.
struct RootView {
  std::function<std::string(const std::string& path)> resolve;
  std::function<bool(const std::string& path)> exists;
  std::function<bool(const std::string& path)> is_directory;
};
MountPlan PlanMounts(const std::vector<MountEntry>& mounts, const ManagedPaths& managed,
                     const RootView& root);

// The names of external mounts to where they are when restoring. kInvalid for an empty map, which
// no capture leaves.
Result<std::map<std::string, std::string>> RestoreMounts(
    const std::map<std::string, std::string>& external);

}  // namespace hearth::agent
