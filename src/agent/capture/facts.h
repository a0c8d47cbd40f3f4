#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/container/container.h"
#include "agent/host/host_places.h"
#include "agent/host/mount_info.h"
#include "agent/host/process_facts.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Everything that a capture is planned from, as it was at one moment.
struct CaptureFacts {
  Container container;             // its pid is that of the first process to capture
  std::vector<ProcessFacts> tree;  // the container's processes, the first one first
  std::vector<MountEntry> mounts;
  std::string root;                  // of the container, as we see it
  std::string upper_directory;       // the layer that its changes are in, for those outside
  UniqueFd upper;                    // and held open
  std::string freezer;               // a cgroup directory that stops all at once; empty: none
  uint64_t network_namespace = 0;    // inode
  bool host_network = false;         // that is the node's own
  int own_users = 0;                 // a process in a user namespace of its own; 0: there is none
  std::array<std::string, 3> stdio;  // where descriptors 0 to 2 lead; empty when it cannot be told
  std::optional<Duration> cold_start;  // see cold_start.h; nothing of what was restored
  MountPlan mount_plan;
  bool has_plugins = false;  // CRIU's, where the settings say
};

// Only reads. Of a container that something was restored into, it is about that, and not about who
// waited for it. kNotFound, kUnavailable: the container is gone or does not run. kUnsupported: its
// root is not an overlay, or one that the container has mounted itself.
Result<CaptureFacts> GatherFacts(ContainerRuntime& runtime, const HostPlaces& places,
                                 std::string_view container_id, const WaitLimit& limit);

// The directory that freezes a process's whole cgroup, by the text of /proc/PID/cgroup: unified, or
// the old freezer. Empty when there is none, or when it is the root, which holds others, too.
std::string FindFreezer(std::string_view cgroup_text, const std::string& cgroups);

}  // namespace hearth::agent
