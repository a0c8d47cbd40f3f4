#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/node/loop_context.h"
#include "agent/node/restore_decision.h"
#include "agent/node/start_proof.h"

// What is done about a waiting container once it is decided. Blocking.
namespace hearth::agent::node {

// One container to restore into, as it was decided on.
struct RestoreOrder {
  PodFacts pod;
  RestoreAim aim;
  std::string target;
  std::string container_id;
  uint64_t bytes = 0;     // of the artifact
  bool restored = false;  // by an agent before this one: it has but to be let go
};

// "restore/<namespace>/<pod>/<target>/<container>": this very container, once at a time.
std::string RestoreJobKey(const kube::ObjectKey& pod, std::string_view target,
                          std::string_view container_id);

// How it ended, for the annotations; nothing when it was cancelled on the way and is to be begun
// again by whoever comes next.
struct RestoreEnd {
  std::string word;  // kCompleted or kFailed
  std::string message;
  std::optional<RestoreProof> proof = {};  // of kCompleted
};

// A job: waits for its turn, restores, waits for the memory service, lets the workload go on. What
// fails on the way is killed, together with everything that was restored into it; what is cut short
// because the agent ends is left as it is. That it is restored is noted on the container before it
// is let go: an agent that comes after never restores over what runs.
std::optional<RestoreEnd> RunRestore(const LoopContext& context, const RestoreOrder& order,
                                     const std::stop_token& stop);

}  // namespace hearth::agent::node
