#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/criu/request.h"
#include "agent/files/left_out.h"
#include "base/result.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::agent {

// Where what a restore needs is seen from within the container.
inline constexpr std::string_view kBundlePlace = "/tmp/snapshot-binaries";
inline constexpr std::string_view kArtifactPlace = "/tmp/checkpoint";
inline constexpr std::string_view kScratchPlace = "/tmp/checkpoint-scratch";

// A restore within a container, as it will be done.
struct RestorePlan {
  criu::RestoreRequest request;  // its descriptors are filled in when it is done
  std::string work_directory;
  // What the images name, and the file of the placeholder that takes its place.
  struct Inherited {
    std::string key;   // "extNetNs", "pipe:[8812]"
    std::string path;  // "/proc/7/ns/net", "/proc/7/fd/1"
    bool writes = false;
  };
  std::vector<Inherited> inherited;
  LeftOut left_out;  // of the files
  // Addresses of the pods, either may be empty; and whether connections are brought back at all.
  std::string source_ip;
  std::string target_ip;
  bool connections = true;
};

// The container that waits.
struct RestoreTarget {
  int pid = 1;  // of its first process, as it knows itself: 1 only where it shares none
  std::string cgroup_root;
  std::string pod_ip;
};

// Pure. kInvalid: the manifest cannot be restored from.
Result<RestorePlan> PlanRestore(const snapshot::Manifest& manifest, const RestoreTarget& target);

}  // namespace hearth::agent
