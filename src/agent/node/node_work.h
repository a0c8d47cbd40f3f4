#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/container/container.h"
#include "agent/host/untouched.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::node {

// What was done and how long it took, in order.
using Phases = std::vector<std::pair<std::string, Duration>>;

// What the control loops ask of the node. Production does it with CRIU and the container runtime.
// Blocking; thread-safe; each call ends soon after its `limit` does. Container ids come without the
// scheme of a runtime.
class NodeWork {
 public:
  // The container to freeze and where its artifact goes.
  struct CaptureTask {
    std::string checkpoint_id;
    std::string artifact_version;
    std::string container_id;
    std::string container_name;
    std::string pod_name;
    std::string pod_namespace;
    std::string pod_uid;
    std::string pod_ip;
    std::string content_uid;  // whose the artifact is
  };
  struct CaptureDone {
    std::string root_digest;
    uint64_t bytes = 0;         // of the workload
    uint64_t stored_bytes = 0;  // on disk
    bool reused = false;        // a complete artifact of the same content was there
    Phases phases;
  };

  // The waiting container to restore into.
  struct RestoreTask {
    std::string checkpoint_id;
    std::string artifact_version;
    std::string container_id;
    std::string container_name;
    std::string pod_name;
    std::string pod_namespace;
    std::string pod_uid;
    std::string pod_ip;
  };
  struct RestoreDone {
    int pid = 0;
    std::string root_digest;
    uint64_t dropped_connections = 0;        // TCP, to others: they did not come back
    std::vector<std::string> dropped_peers;  // whose they were, the first of them
    Phases phases;
    Status cleanup;  // what went wrong after the restore itself was good
  };

  // What the store holds under an id and a version.
  struct Stored {
    bool present = false;       // complete; what is still being made is not
    std::string content_uid;    // empty: made by others than us
    std::string pod_namespace;  // of the pod it was taken from; empty: not known
    std::string root_digest;
    uint64_t bytes = 0;
    // What is damaged or missing, as far as that shows without reading all; empty: nothing. Whose
    // it is, is then what can still be read, and empty when nothing can.
    std::string damage = {};
    std::string pod_uid = {};  // of that pod; empty: not known
  };

  virtual ~NodeWork() = default;

  // Cheap: asked again whenever something changes. An artifact that is damaged is an answer.
  virtual Result<Stored> Look(std::string_view checkpoint_id, std::string_view version) = 0;
  // ok: durable and published. After a failure the container is in no known state: the caller kills
  // it, unless the failure is kCancelled with the reason kUntouched.
  virtual Result<CaptureDone> Capture(const CaptureTask& task, const WaitLimit& limit) = 0;
  // Whether an agent before this one was killed while it captured for this order, or this container
  // (either may be empty), and nothing came of it: what it left is in no known state and must not
  // be captured again. Cheap.
  virtual bool WasCutOff(std::string_view content_uid, std::string_view container_id) = 0;
  // ok: the restored process is alive.
  virtual Result<RestoreDone> Restore(const RestoreTask& task, const WaitLimit& limit) = 0;
  // Deletes an artifact; one that is not there is fine.
  virtual Status Remove(std::string_view checkpoint_id, std::string_view version,
                        const WaitLimit& limit) = 0;
  // The id of a container of this very pod, not of another that has or had its name. Waits for it
  // to run, by the runtime's events where it has them; kNotFound when it did not within the limit.
  virtual Result<std::string> FindContainer(const PodContainer& which, const WaitLimit& limit) = 0;

  // Files of the container's control directory. No link is followed; absent is fine when removing.
  virtual Status WriteSentinel(std::string_view container_id, std::string_view name) = 0;
  virtual Status RemoveSentinel(std::string_view container_id, std::string_view name) = 0;
  // Until somebody else has made the file: in the control directory when `directory` is empty, else
  // in that directory as the container sees it. Told by the kernel, not polled.
  // kNotFound: there is no such directory.
  virtual Status WaitForSentinel(std::string_view container_id, std::string_view directory,
                                 std::string_view name, const WaitLimit& limit) = 0;
  // SIGKILL for its first process, by pidfd, so never for somebody who inherited the number; one
  // that is gone is fine.
  virtual Status Kill(std::string_view container_id) = 0;
};

}  // namespace hearth::agent::node
