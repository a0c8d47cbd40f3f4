#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/checkpoint_identity.h"
#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

// When the replicas of a component start, seen from its checkpoint.
enum class CheckpointStartupPolicy { kImmediate, kWaitForCheckpoint };
constexpr std::pair<const char*, CheckpointStartupPolicy> kCheckpointStartupPolicies[] = {
    {"Immediate", CheckpointStartupPolicy::kImmediate},
    {"WaitForCheckpoint", CheckpointStartupPolicy::kWaitForCheckpoint}};
constexpr const auto& EnumNames(CheckpointStartupPolicy) { return kCheckpointStartupPolicies; }

// What becomes of an automatic checkpoint when its graph is deleted.
enum class CheckpointDeletionPolicy { kDelete, kRetain };
constexpr std::pair<const char*, CheckpointDeletionPolicy> kCheckpointDeletionPolicies[] = {
    {"Delete", CheckpointDeletionPolicy::kDelete}, {"Retain", CheckpointDeletionPolicy::kRetain}};
constexpr const auto& EnumNames(CheckpointDeletionPolicy) { return kCheckpointDeletionPolicies; }

// Changes to the Job that captures a component.
struct CheckpointJobConfig {
  std::vector<std::string> gms_client_containers;
  json::Value pod_template;  // an overlay, read strictly at admission
  static const StructTable& Fields();
};

// Checkpoint and restore of one component. With enabled: false it is as if it were absent.
struct CheckpointConfig {
  bool enabled = false;
  CheckpointStartupPolicy startup_policy = CheckpointStartupPolicy::kImmediate;
  CheckpointDeletionPolicy deletion_policy = CheckpointDeletionPolicy::kDelete;
  std::string checkpoint_ref;
  std::optional<CheckpointIdentity> identity;
  std::string target_container_name = "main";
  std::optional<CheckpointJobConfig> job;
  static const StructTable& Fields();
};

namespace v1alpha1 {

Node CheckpointConfigNode();

}  // namespace v1alpha1

// Name of the container that is captured. It becomes part of annotation keys, which leaves it less
// room than a container's name has otherwise.
Node TargetContainerName();

}  // namespace hearth::api::dynamo
