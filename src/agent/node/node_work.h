#pragma once

#include <cstdint>
#include <optional>
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
    std::vector<std::string> pod_ips;
    std::string content_uid;  // whose the artifact is
  };
  struct CaptureDone {
    std::string root_digest;
    uint64_t bytes = 0;         // of the workload
    uint64_t stored_bytes = 0;  // on disk
    bool reused = false;        // a complete artifact of the same content was there
    Phases phases;
    // How long the container took from its start until it was ready for this; nothing: not known.
    std::optional<Duration> cold_start = {};
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
    std::vector<std::string> pod_ips;
  };
  struct RestoreDone {
    int pid = 0;
    std::string root_digest;
    uint64_t dropped_connections = 0;        // TCP, to others: they did not come back
    std::vector<std::string> dropped_peers;  // whose they were, the first of them
    Phases phases;
    Status cleanup;  // what went wrong after the restore itself was good
    // What it would have taken without: see CaptureDone.
    std::optional<Duration> cold_start = {};
  };

  // What the store holds under an id and a version.
  struct Stored {
    bool present = false;       // complete; what is still being made is not
    std::string content_uid;    // empty: made by others than us
    std::string pod_namespace;  // of the pod it was taken from; empty: not known
    std::string root_digest;
    uint64_t bytes = 0;  // of the workload
    // What is damaged or missing, as far as that shows without reading all; empty: nothing. Whose
    // it is, is then what can still be read, and empty when nothing can.
    std::string damage = {};
    std::string pod_uid = {};                 // of that pod; empty: not known
    uint64_t stored_bytes = 0;                // on disk, as CaptureDone tells them
    std::optional<Duration> cold_start = {};  // see CaptureDone
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
  // ok: the restored process is alive. What was noted of the container before is taken back.
  virtual Result<RestoreDone> Restore(const RestoreTask& task, const WaitLimit& limit) = 0;
  // A note on the container that this checkpoint is restored into it whole and may be let go. Lives
  // as long as the container, also without us; processes in it cannot make one.
  virtual Status NoteRestored(std::string_view container_id, std::string_view checkpoint_id,
                              std::string_view version) = 0;
  // Whether there is one; one that cannot be read is none.
  virtual bool IsNotedRestored(std::string_view container_id, std::string_view checkpoint_id,
                               std::string_view version) = 0;
  // Deletes an artifact; one that is not there is fine.
  virtual Status Remove(std::string_view checkpoint_id, std::string_view version,
                        const WaitLimit& limit) = 0;
  // Deletes what the memory service saved for this pod, where it has its mark and no artifact is;
  // everything else stays. False: there was nothing of the kind.
  virtual Result<bool> RemoveWeights(std::string_view checkpoint_id, std::string_view version,
                                     std::string_view pod_uid, const WaitLimit& limit) = 0;
  // The id of a container of this very pod, not of another that has or had its name. Waits for it
  // to run, by the runtime's events where it has them; kNotFound when it did not within the limit.
  virtual Result<std::string> FindContainer(const PodContainer& which, const WaitLimit& limit) = 0;

  // Files of the container's control directory. No link is followed; absent is fine when removing.
  virtual Status WriteSentinel(std::string_view container_id, std::string_view name) = 0;
  virtual Status RemoveSentinel(std::string_view container_id, std::string_view name) = 0;
  // Until somebody else has made the file: in the control directory when `directory` is empty, else
  // in that directory as the container sees it, which need not be there yet. Told by the kernel,
  // and looked for every second, because nobody tells what another node has written.
  // kNotFound: there is no control directory. kUnavailable: the container has ended.
  virtual Status WaitForSentinel(std::string_view container_id, std::string_view directory,
                                 std::string_view name, const WaitLimit& limit) = 0;
  // SIGKILL for its first process, by pidfd, so never for somebody who inherited the number; one
  // that is gone is fine.
  virtual Status Kill(std::string_view container_id) = 0;
};

}  // namespace hearth::agent::node
