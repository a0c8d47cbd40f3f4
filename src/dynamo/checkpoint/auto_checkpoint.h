#pragma once

#include <optional>
#include <string>

#include "api/dynamo/component.h"
#include "base/result.h"
#include "dynamo/model/component.h"
#include "dynamo/render/pod_request.h"
#include "json/value.h"

// The DynamoCheckpoint that the operator makes for a component which asks for one and names none.
namespace hearth::dynamo {

struct AutoCheckpointRequest {
  const GraphFacts& graph;
  const api::dynamo::ComponentSpec& component;  // WithGraphDefaults, and with a checkpoint
  std::string id;
  Surroundings surroundings;
  std::string worker_hash;
  PullSecrets pull_secrets;  // may be empty
};

struct AutoCheckpoint {
  json::Value checkpoint;
  // Where its Job takes its GPUs from, when they are shared with a memory service. Belongs to the
  // checkpoint.
  std::optional<json::Value> claim_template;
};

// Pure; owners are set by whoever writes them. What is captured is one pod with the target alone
// and whatever the component's checkpoint.job adds; with a memory service, its server is beside it.
// The saver is the checkpoint's, the loader never. kInvalid names the component's field.
Result<AutoCheckpoint> RenderAutoCheckpoint(const AutoCheckpointRequest& request);

// Names, by the words of checkpoint.deletionPolicy.
std::string_view DeletionPolicyName(api::dynamo::CheckpointDeletionPolicy policy);

}  // namespace hearth::dynamo
