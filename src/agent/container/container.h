#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/mount_policy.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// A container as the cluster knows it. What is empty is not compared.
struct PodContainer {
  std::string pod_uid;
  std::string pod_name;
  std::string pod_namespace;
  std::string name;

  friend bool operator==(const PodContainer&, const PodContainer&) = default;
};
std::string Describe(const PodContainer& container);

// What a runtime knows of a running container. What it does not know is empty.
struct Container {
  std::string id;
  int pid = 0;  // of its first process, in the runtime's pid namespace
  ManagedPaths managed;
  std::vector<std::string> bind_destinations;  // of volumes
  std::string image;                           // as it was asked for
  std::string image_digest;                    // "sha256:..."
  PodContainer in_pod;
  std::map<std::string, std::string> labels;
  std::string log_path;
  std::string snapshotter;                // containerd: who keeps its root
  std::string snapshot_key;               // and under which name
  std::string visible_devices;            // NVIDIA_VISIBLE_DEVICES, as the runtime was told
  std::vector<std::string> capabilities;  // "CAP_CHOWN", ...: that its processes can ever have
};

struct ContainerState {
  enum class Phase { kCreated, kRunning, kExited, kUnknown };
  Phase phase = Phase::kUnknown;
  int exit_code = 0;   // once exited
  std::string reason;  // "OOMKilled"; may be empty
};
std::string_view PhaseName(ContainerState::Phase phase);

struct ContainerEvent {
  enum class Kind { kCreated, kStarted, kStopped, kRemoved };
  Kind kind = Kind::kCreated;
  std::string container_id;
};

// What happens to containers from now on. Events may come twice or be missed around the start of
// the stream and when the runtime restarts: they say when to look, not what is. Not thread-safe.
class ContainerEvents {
 public:
  virtual ~ContainerEvents() = default;
  // Blocks. After kDeadlineExceeded it may be asked again; after anything else the stream is over.
  // kUnsupported: this runtime does not tell.
  virtual Result<ContainerEvent> Next(const WaitLimit& limit) = 0;
};

// Finds containers. Production speaks CRI to containerd and CRI-O, or asks an OCI runtime (runc,
// crun) itself. Blocking; thread-safe. kUnsupported: this kind of runtime cannot tell or do it.
class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;

  // "containerd 1.7.24", "runc 1.1.5": for the manifest.
  virtual Result<std::string> Version(const WaitLimit& limit) = 0;
  // kNotFound: there is no such container. kUnavailable: it does not run, or the runtime does not
  // answer.
  virtual Result<Container> Find(std::string_view id, const WaitLimit& limit) = 0;
  // The one that runs; of several the newest. Codes as above.
  virtual Result<Container> FindInPod(const PodContainer& which, const WaitLimit& limit);
  virtual Result<ContainerState> StateOf(std::string_view id, const WaitLimit& limit);
  // Asks it to end and kills it after `grace`. It has ended when this returns ok; one that has
  // ended before is fine.
  virtual Status Stop(std::string_view id, Duration grace, const WaitLimit& limit);
  virtual Result<std::unique_ptr<ContainerEvents>> Watch(const WaitLimit& limit);
};

// "containerd://abc" is abc; what has no known scheme stays as it is.
std::string_view WithoutScheme(std::string_view container_id);
// Letters, digits, '-', '_', '.' and '+', not starting with '-' or '.': nothing that an argument or
// a path could be led astray with.
Status CheckContainerId(std::string_view id);

}  // namespace hearth::agent
