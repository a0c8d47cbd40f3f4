#pragma once

#include "base/result.h"
#include "base/wait_limit.h"
#include "dynamo/checkpoint/storage.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::dynamo {

// What the pod webhook needs to have a new pod restored.
struct RestoreShaping {
  StorageConfig storage;
  std::string seccomp_profile;
};

// The pod with everything that makes the agent of its node restore the containers `targets` from
// the checkpoint, a DynamoCheckpoint that is ready; its loader is the one that the pod's marks ask
// for. All or nothing. kNotFound: nobody knows where checkpoints are kept.
Result<json::Value> ShapeNewPod(kube::Client& client, const WaitLimit& limit,
                                const RestoreShaping& shaping, json::Value pod,
                                const json::Value& checkpoint,
                                const std::vector<std::string>& targets);

}  // namespace hearth::dynamo
