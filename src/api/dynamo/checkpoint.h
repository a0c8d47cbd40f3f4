#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/checkpoint_identity.h"
#include "api/dynamo/gpu_memory_service.h"
#include "api/dynamo/shared_memory.h"
#include "api/table/common.h"

namespace hearth::api::dynamo {

// The Job that starts the workload and is captured.
struct CheckpointJob {
  json::Value pod_template_spec;  // core.v1.PodTemplateSpec
  std::string target_container_name = "main";
  std::optional<SharedMemory> shared_memory;
  int64_t active_deadline_seconds = 3600;
  static const StructTable& Fields();
};

// DynamoCheckpoint: a warm worker, captured once and restored many times.
struct CheckpointSpec {
  CheckpointIdentity identity;
  // Describes what the pod template already has; adds nothing to it, but for the saver.
  std::optional<v1alpha1::GpuMemoryService> gpu_memory_service;
  CheckpointJob job;
  static const StructTable& Fields();
};

enum class CheckpointPhase { kPending, kCreating, kReady, kFailed };
constexpr std::pair<const char*, CheckpointPhase> kCheckpointPhases[] = {
    {"Pending", CheckpointPhase::kPending},
    {"Creating", CheckpointPhase::kCreating},
    {"Ready", CheckpointPhase::kReady},
    {"Failed", CheckpointPhase::kFailed}};
constexpr const auto& EnumNames(CheckpointPhase) { return kCheckpointPhases; }

struct CheckpointStatus {
  std::optional<CheckpointPhase> phase;
  std::string checkpoint_id;
  std::string identity_hash;  // the same as checkpoint_id, for older readers
  std::string job_name;
  std::string pod_snapshot_name;
  std::string created_at;
  std::string message;
  std::vector<Condition> conditions;
  static const StructTable& Fields();
};

// The whole kind, version v1alpha1.
Node CheckpointRoot();

}  // namespace hearth::api::dynamo
