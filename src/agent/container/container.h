#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/host/mount_policy.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// What a runtime knows of a running container.
struct Container {
  std::string id;
  int pid = 0;  // of its first process, in the runtime's pid namespace
  ManagedPaths managed;
  std::vector<std::string> bind_destinations;  // of volumes
  std::string image;                           // as it was asked for; empty when it is not known
  std::string image_digest;
};

// Finds containers. Production speaks CRI to containerd and CRI-O, or asks an OCI runtime (runc,
// crun) itself. Blocking; thread-safe.
class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;

  // "containerd 1.7.24", "runc 1.1.5": for the manifest.
  virtual Result<std::string> Version(const WaitLimit& limit) = 0;
  // kNotFound: there is no such container. kUnavailable: it does not run, or the runtime does not
  // answer.
  virtual Result<Container> Find(std::string_view id, const WaitLimit& limit) = 0;
};

// "containerd://abc" is abc; what has no known scheme stays as it is.
std::string_view WithoutScheme(std::string_view container_id);
// Letters, digits, '-', '_', '.' and '+', not starting with '-' or '.': nothing that an argument or
// a path could be led astray with.
Status CheckContainerId(std::string_view id);

}  // namespace hearth::agent
