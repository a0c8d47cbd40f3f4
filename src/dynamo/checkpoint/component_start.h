#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/component.h"
#include "base/result.h"
#include "dynamo/checkpoint/checkpoint_facts.h"
#include "dynamo/checkpoint/storage.h"
#include "dynamo/model/component.h"
#include "json/value.h"

// How the pods of a component start, as its checkpoint has it: cold, not yet, or restored. Pure.
namespace hearth::dynamo {

// Which DynamoCheckpoint a component asks for.
struct AskedCheckpoint {
  std::string name;        // empty: the one that has the id
  std::string id;          // empty: whatever the one of that name has
  bool automatic = false;  // it is ours to make
};
// Nothing when the component has none enabled. `component_hash` tells one generation of a worker
// from the next; it is not used for components that are no workers.
std::optional<AskedCheckpoint> CheckpointAskedBy(const GraphFacts& graph,
                                                 const api::dynamo::ComponentSpec& component,
                                                 std::string_view component_hash);

enum class StartWay {
  kPlain,      // as if there were no checkpoint
  kWaits,      // no pods before the checkpoint is ready
  kCandidate,  // cold, but pods that are created once it is ready are restored
  kRestored,
};

struct ComponentStart {
  StartWay way = StartWay::kPlain;
  std::string checkpoint;  // name; empty: none
  std::string checkpoint_id;
  bool ready = false;
  bool failed = false;               // the checkpoint, for good
  std::string message;               // of the failure
  bool fell_back = false;            // it would wait, but its checkpoint failed and cold is allowed
  std::vector<std::string> targets;  // containers that are restored; at least one
};

// `found` is the checkpoint that was asked for, null when there is none (yet). kInvalid: the
// component has a memory service and its checkpoint has none.
Result<ComponentStart> PlanStart(const api::dynamo::ComponentSpec& component,
                                 const std::optional<AskedCheckpoint>& asked,
                                 const CheckpointFacts* found);

struct StartSurroundings {
  std::optional<Storage> storage;  // needed by kRestored
  std::string seccomp_profile;
};

// Makes the component's rendered pod template one that starts this way: marks, or everything that
// the agents of the nodes need. `found` as above. The template is as it was after a failure.
Status ShapeStart(json::Value& pod_template, const api::dynamo::ComponentSpec& component,
                  const ComponentStart& start, const CheckpointFacts* found,
                  const StartSurroundings& surroundings);

// The same for a pod that holds the memory of a component's engines, which are other pods: when
// they are restored, it loads what was saved. It is never restored itself.
Status ShapeMemoryServer(json::Value& pod_template, const api::dynamo::ComponentSpec& component,
                         const ComponentStart& start, const CheckpointFacts* found,
                         const StartSurroundings& surroundings);

}  // namespace hearth::dynamo
