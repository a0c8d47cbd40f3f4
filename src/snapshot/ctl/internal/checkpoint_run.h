#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"
#include "snapshot/ctl/internal/cluster.h"

namespace hearth::snapshot::ctl {

struct CheckpointOrder {
  json::Value pod;  // manifest
  std::string name_space;
  std::string target;
  std::string checkpoint_id;
  bool wrap_cuda = false;
  Duration pod_timeout = std::chrono::minutes(5);
};

struct CheckpointResult {
  std::string job;
  std::string pod_snapshot;
  std::string content;  // may be empty
};

// Told whenever something goes on: one line for people.
using Tell = std::function<void(const std::string& text)>;

// Runs the manifest's pod as a Job, asks for a snapshot of the pod that it makes, and waits for it.
// When it fails after the Job was made, the Job is deleted together with its pod; the PodSnapshot
// stays for whoever wants to know why. Blocking.
Result<CheckpointResult> RunCheckpoint(Cluster& cluster, const CheckpointOrder& order,
                                       const Tell& tell, const WaitLimit& limit);

}  // namespace hearth::snapshot::ctl
