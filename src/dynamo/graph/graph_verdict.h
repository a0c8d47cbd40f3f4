#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamo/graph_status.h"
#include "controller/conditions.h"
#include "dynamo/checkpoint/component_start.h"
#include "json/view.h"

// What a graph's status says of it: facts in, state and conditions out. Pure.
namespace hearth::dynamo {

// What keeps a component from being as it should.
enum class Missing {
  kNothing,
  kObject,    // what runs it is not there yet
  kCapacity,  // pods that no node takes
  kUpdate,    // pods of an older template
  kPods,      // pods that are not ready
};

struct ComponentProgress {
  std::string name;
  api::dynamo::ComponentReplicaStatus replicas;
  Missing missing = Missing::kObject;
  std::string detail;  // "1 of 2 pods are ready"
};

// Reasons of the condition Ready. Upstream's, which dashboards know, and one of ours.
namespace graph_reason {
inline constexpr std::string_view kReady = "all_resources_are_ready";
inline constexpr std::string_view kCapacity = "insufficient_capacity";
inline constexpr std::string_view kPods = "pods_not_ready";
inline constexpr std::string_view kUpdating = "updating";
inline constexpr std::string_view kMixed = "mixed_not_ready_reasons";
inline constexpr std::string_view kSome = "some_resources_are_not_ready";
inline constexpr std::string_view kRollout = "rolling_update_in_progress";
inline constexpr std::string_view kWaiting = "waiting_for_checkpoint";
inline constexpr std::string_view kFailed = "failed_to_reconcile_the_resources";
inline constexpr std::string_view kCheckpointFailed = "checkpoint_failed";
}  // namespace graph_reason

inline constexpr std::string_view kReadyCondition = "Ready";
inline constexpr std::string_view kCheckpointCondition = "CheckpointReady";
inline constexpr std::string_view kAdapterCondition = "ScalingAdapterSupported";

struct GraphProgress {
  int64_t generation = 0;
  std::vector<ComponentProgress> components;
  std::map<std::string, ComponentStart> starts;  // of components with a checkpoint
  bool checkpoints_off = false;  // some component asks, and the operator does not do it
  bool rollout_runs = false;
  bool adapter_asked = false;
  std::vector<std::string> failures;  // what could not be done, each a sentence
};

struct GraphVerdict {
  api::dynamo::GraphState state = api::dynamo::GraphState::kPending;
  controller::Condition ready;
  std::optional<controller::Condition> checkpoint;  // nothing: no component has one
  std::optional<controller::Condition> adapter;     // nothing: nobody asks for one
};
GraphVerdict Judge(const GraphProgress& progress);

// What runs a component, as it is seen.
struct Running {
  std::string name;
  int64_t generation = 0;
  json::View status;
};
ComponentProgress OfComponentDeployment(const std::string& component, const Running& running,
                                        int32_t wanted);
ComponentProgress OfClique(const std::string& component, const Running& running, int32_t wanted);
ComponentProgress OfScalingGroup(const std::string& component, const Running& running,
                                 int32_t wanted);
// It is not there yet.
ComponentProgress OfNothing(const std::string& component, api::dynamo::ComponentKind kind);

}  // namespace hearth::dynamo
