#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/container/container.h"
#include "agent/cuda/gpu_discovery.h"
#include "agent/cuda/sequence.h"
#include "agent/host/host_places.h"
#include "agent/host/phases.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::agent {

// What restores on a node have in common. References must outlive every restore.
struct RestoreServices {
  ContainerRuntime& runtime;
  FileSystem& files;
  Clock& clock;
  std::string nsrestore;  // the program
  std::string bundle;     // the directory that tools/criu makes
  snapshot::StorageLayout storage;
  std::string journal_directory = "/run/hearth/journal";
  HostPlaces places;
  // Both or none: without them what used CUDA is refused.
  cuda::Sequence* cuda = nullptr;
  cuda::GpuDiscovery* gpus = nullptr;
  std::string node;
};

struct RestoreOrder {
  std::string checkpoint_id;
  std::string artifact_version = "1";
  std::string pod_namespace;  // that it is restored in
  std::string pod_name;
  std::string container_name;
  std::string pod_uid;  // empty: not compared
  // Sockets at the source pod's addresses come to these.
  std::vector<std::string> pod_ips;
  bool any_namespace = false;  // also what was captured in another one
  bool any_image = false;      // also into another image than it was captured from
};

struct RestoredContainer {
  int pid = 0;              // of the first restored process, on the node
  std::string root_digest;  // of what it was restored from; empty: an artifact without digests
  uint64_t bytes = 0;
  std::string left_to_criu;  // why CRIU filled the memory and not we; empty: it was us
  // TCP connections to others, which did not come back; and whose they were, each once and not more
  // than are worth telling.
  uint64_t dropped_connections = 0;
  std::vector<std::string> dropped_peers;
  std::vector<Phase> phases;
  std::optional<Duration> cold_start;  // of what was captured, when its manifest tells
};

// Brings an artifact back in a container that waits for it (the placeholder). Nothing that is
// restored runs before every byte of the artifact was verified; the first processes are alive when
// it returns well. What an earlier try has left in the container is removed first.
//
// kUnsupported: this machine cannot run it, or TracingContainer: the container could take over who
// restores, or OtherImage, or UserNamespace. kNotFound: there is no such artifact. kDataLoss names
// file and chunk. kConflict, kPermissionDenied: it is another checkpoint's or another namespace's,
// or has rights that the container has not (MoreRights). kUnavailable: the container does not run.
// kInternal: CRIU's cause and what to do. After a failure nothing that was restored is left and the
// container is of no use: kill it.
Result<RestoredContainer> Restore(const RestoreServices& services, const std::string& container_id,
                                  const RestoreOrder& order, const WaitLimit& limit);

}  // namespace hearth::agent
