#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "admission/pod_restore/decision.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::admission::pod_restore {

inline constexpr std::string_view kStorageUnknown = "StorageUnknown";

// What restoring needs from outside. Both are called on the webhook's worker threads, several at a
// time; either may be empty.
struct Tools {
  // kNotFound and every other failure: the pod starts cold.
  std::function<Result<CheckpointFacts>(const Candidate& candidate)> read_checkpoint;
  // The pod with everything that makes the node's agent restore it. All or nothing: a failure must
  // come before the first change. One with the reason kStorageUnknown says that it is not known
  // where checkpoints are.
  std::function<Result<json::Value>(json::Value pod, const Restore& restore)> shape;
};

// The whole way of one pod. Unchanged, or the pod as it is to be created. `pod` has passed
// CheckPod.
std::variant<Unchanged, json::Value> RestorePod(const json::Value& pod, const RequestFacts& facts,
                                                const Tools& tools);

// Reads the DynamoCheckpoint from the server, not from a cache: a checkpoint that became ready a
// moment ago is what a new pod is waiting for. Gives up in time for the API server, which waits ten
// seconds for a webhook.
std::function<Result<CheckpointFacts>(const Candidate& candidate)> ReadFrom(kube::Client& client,
                                                                            Clock& clock);

}  // namespace hearth::admission::pod_restore
