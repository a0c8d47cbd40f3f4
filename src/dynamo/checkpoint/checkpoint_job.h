#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "dynamo/checkpoint/checkpoint_facts.h"
#include "dynamo/checkpoint/storage.h"
#include "json/value.h"

namespace hearth::dynamo {

struct CheckpointJobRequest {
  const CheckpointFacts& checkpoint;
  Storage storage;
  std::string seccomp_profile;
  int64_t gpus = 0;  // of the target, by name and through claims
};

// The Job that starts the workload, is captured, and ends once everything of it is saved: the
// target of the template with shared memory, storage and what captures need; the container
// gms-saver when the checkpoint asks for one. kInvalid: the template lacks the target, or what its
// saver needs.
Result<json::Value> RenderCheckpointJob(const CheckpointJobRequest& request);

// The Job that removes the artifacts of a checkpoint, its own and those of the memory service, and
// nothing else. kInvalid: an id that could lead elsewhere.
struct CleanupOptions {
  std::string image = "busybox:1.36";
  json::Value node_selector;  // null: none
  json::Value tolerations;
};
Result<json::Value> RenderCleanupJob(const CheckpointFacts& checkpoint, const Storage& storage,
                                     const CleanupOptions& options);
std::string CleanupJobName(const CheckpointFacts& checkpoint);

}  // namespace hearth::dynamo
