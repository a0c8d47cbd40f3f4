#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// The kind of object that runs a component.
enum class ComponentKind { kPodClique, kPodCliqueScalingGroup, kDeployment, kLeaderWorkerSet };
constexpr std::pair<const char*, ComponentKind> kComponentKinds[] = {
    {"PodClique", ComponentKind::kPodClique},
    {"PodCliqueScalingGroup", ComponentKind::kPodCliqueScalingGroup},
    {"Deployment", ComponentKind::kDeployment},
    {"LeaderWorkerSet", ComponentKind::kLeaderWorkerSet}};
constexpr const auto& EnumNames(ComponentKind) { return kComponentKinds; }

// How many instances of a component there are. What the kind cannot tell is absent.
struct ComponentReplicaStatus {
  ComponentKind component_kind = ComponentKind::kDeployment;
  std::vector<std::string> component_names;
  std::string runtime_namespace;
  int32_t replicas = 0;
  int32_t updated_replicas = 0;
  std::optional<int32_t> ready_replicas;
  std::optional<int32_t> available_replicas;
  std::optional<int32_t> scheduled_replicas;
  static const StructTable& Fields();
};

// The checkpoint a component uses.
struct ComponentCheckpointStatus {
  std::string checkpoint_name;
  std::string checkpoint_id;
  std::string identity_hash;  // the same as checkpoint_id, for older readers
  bool ready = false;
  static const StructTable& Fields();
};

namespace v1alpha1 {

Node ServiceReplicaStatusNode();

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
