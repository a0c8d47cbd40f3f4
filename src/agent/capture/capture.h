#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/plan.h"
#include "agent/container/container.h"
#include "agent/criu/worker.h"
#include "agent/cuda/gpu_discovery.h"
#include "agent/cuda/sequence.h"
#include "agent/host/phases.h"
#include "base/file_system.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "snapshot/artifact/staging.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::agent {

// What captures on a node have in common. References must outlive every capture.
struct CaptureServices {
  ContainerRuntime& runtime;
  FileSystem& files;
  Clock& clock;
  criu::Program criu;
  snapshot::StorageLayout storage;
  std::string journal_directory = "/run/hearth/journal";
  HostPlaces places;
  snapshot::SourceEnvironment environment;  // of this node; DescribeNode
  // Both or none: without them processes that use CUDA are refused.
  cuda::Sequence* cuda = nullptr;
  cuda::GpuDiscovery* gpus = nullptr;
};

// The machine, CRIU and the runtime, for manifests. Asks both programs. kUnsupported: CRIU is too
// old.
Result<snapshot::SourceEnvironment> DescribeNode(ContainerRuntime& runtime,
                                                 const criu::Program& criu, const WaitLimit& limit);

struct Captured {
  std::string directory;
  std::string root_digest;
  uint64_t bytes = 0;         // of all files
  uint64_t stored_bytes = 0;  // that they take on disk
  bool reused = false;        // it was there already, of the same order
  std::vector<Phase> phases;
  std::optional<Duration> cold_start;  // see cold_start.h
};

// Captures a container: durable and published when it returns well. An artifact of the same order
// (its content_uid) that is there is taken as it is; another one is kAlreadyExists, or
// kPermissionDenied when it is of another namespace.
//
// What CRIU meets by bad luck, such as a connection that is just being made, is tried again at
// once, a few times. On failure nothing is published and nothing of ours is left, but the
// container's processes are in a state that nobody knows: kill them. kInternal, with CRIU's cause
// and what to do; kUnsupported: it would fail again; kDeadlineExceeded or kCancelled: CRIU was
// killed. kCancelled with the reason kUntouched came before that: the container runs as if nothing
// had been.
Result<Captured> Capture(const CaptureServices& services, const std::string& container_id,
                         const CaptureOrder& order, const WaitLimit& limit);

}  // namespace hearth::agent
