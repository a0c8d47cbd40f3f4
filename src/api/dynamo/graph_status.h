#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/component_status.h"
#include "api/table/common.h"

namespace hearth::api::dynamo {

enum class GraphState { kInitializing, kPending, kSuccessful, kFailed };
constexpr std::pair<const char*, GraphState> kGraphStates[] = {
    {"initializing", GraphState::kInitializing},
    {"pending", GraphState::kPending},
    {"successful", GraphState::kSuccessful},
    {"failed", GraphState::kFailed}};
constexpr const auto& EnumNames(GraphState) { return kGraphStates; }

enum class RestartPhase { kPending, kRestarting, kCompleted, kFailed, kSuperseded };
constexpr std::pair<const char*, RestartPhase> kRestartPhases[] = {
    {"Pending", RestartPhase::kPending},
    {"Restarting", RestartPhase::kRestarting},
    {"Completed", RestartPhase::kCompleted},
    {"Failed", RestartPhase::kFailed},
    {"Superseded", RestartPhase::kSuperseded}};
constexpr const auto& EnumNames(RestartPhase) { return kRestartPhases; }

enum class RollingUpdatePhase { kPending, kInProgress, kCompleted, kFailed, kNone };
constexpr std::pair<const char*, RollingUpdatePhase> kRollingUpdatePhases[] = {
    {"Pending", RollingUpdatePhase::kPending},
    {"InProgress", RollingUpdatePhase::kInProgress},
    {"Completed", RollingUpdatePhase::kCompleted},
    {"Failed", RollingUpdatePhase::kFailed},
    {"", RollingUpdatePhase::kNone}};
constexpr const auto& EnumNames(RollingUpdatePhase) { return kRollingUpdatePhases; }

struct RestartStatus {
  std::string observed_id;
  std::optional<RestartPhase> phase;
  std::vector<std::string> in_progress;
  static const StructTable& Fields();
};

struct RollingUpdateStatus {
  std::optional<RollingUpdatePhase> phase;
  std::string start_time;
  std::string end_time;
  std::vector<std::string> updated_components;
  static const StructTable& Fields();
};

// How the workers that run now came up.
struct StartupStatus {
  int32_t restored = 0;
  int32_t cold = 0;
  static const StructTable& Fields();
};

struct GraphDeploymentStatus {
  int64_t observed_generation = 0;
  GraphState state = GraphState::kInitializing;
  std::vector<Condition> conditions;
  std::map<std::string, ComponentReplicaStatus> components;
  std::optional<RestartStatus> restart;
  std::map<std::string, ComponentCheckpointStatus> checkpoints;
  std::optional<RollingUpdateStatus> rolling_update;
  std::optional<StartupStatus> startup;
  static const StructTable& Fields();
};

}  // namespace hearth::api::dynamo
