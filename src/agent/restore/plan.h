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
    std::string path;  // "/proc/1/ns/net", "/proc/1/fd/1"
    bool writes = false;
  };
  std::vector<Inherited> inherited;
  LeftOut left_out;  // of the files
};

// Pure. kInvalid: the manifest cannot be restored from.
Result<RestorePlan> PlanRestore(const snapshot::Manifest& manifest, std::string_view cgroup_root);

}  // namespace hearth::agent
