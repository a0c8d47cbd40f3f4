#pragma once

#include <string>
#include <vector>

#include "agent/criu/request.h"
#include "agent/files/left_out.h"
#include "base/result.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::agent {

// A restore within a container, as it will be done.
struct RestorePlan {
  criu::RestoreRequest request;  // its descriptors are filled in when it is done
  // What the images name, and what of the placeholder takes its place.
  struct Inherited {
    std::string key;      // "extNetNs", "pipe:[8812]"
    std::string path;     // "/proc/self/ns/net", once inside; empty: it is a descriptor of its
    int descriptor = -1;  // 1
  };
  std::vector<Inherited> inherited;
  LeftOut left_out;  // of the files
  // Addresses of the pods, either may be empty; and whether connections are brought back at all.
  std::vector<std::string> source_ips;
  std::vector<std::string> target_ips;
  bool connections = true;
  std::string kernel_facts;  // ReadKernelFacts
};

// The container that waits.
struct RestoreTarget {
  std::string cgroup_root;
  std::vector<std::string> pod_ips;
};

// Pure. kInvalid: the manifest cannot be restored from.
Result<RestorePlan> PlanRestore(const snapshot::Manifest& manifest, const RestoreTarget& target);

}  // namespace hearth::agent
