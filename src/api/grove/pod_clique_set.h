#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/grove/last_error.h"
#include "api/grove/pod_clique_set_template.h"
#include "api/grove/resource_sharing.h"
#include "api/table/common.h"
#include "schema/crd.h"

namespace hearth::api::grove {

enum class UpdateStrategyType { kRollingRecreate, kOnDelete };
inline constexpr std::pair<std::string_view, UpdateStrategyType> kUpdateStrategyTypes[] = {
    {"RollingRecreate", UpdateStrategyType::kRollingRecreate},
    {"OnDelete", UpdateStrategyType::kOnDelete}};
constexpr const auto& EnumNames(UpdateStrategyType) { return kUpdateStrategyTypes; }

struct UpdateStrategy {
  UpdateStrategyType type = UpdateStrategyType::kRollingRecreate;
  static const StructTable& Fields();
};

// PodCliqueSet: the roles of a workload, and how many copies of all of them. What users write.
struct PodCliqueSetSpec {
  int32_t replicas = 0;
  std::optional<UpdateStrategy> update_strategy;
  PodCliqueSetTemplate set_template;
  static const StructTable& Fields();
};

struct PodCliqueSetUpdateProgress {
  struct Replica {
    int32_t replica_index = 0;
    std::string update_started_at;
    std::string update_ended_at;
    static const StructTable& Fields();
  };
  std::string update_started_at;
  std::string update_ended_at;  // empty: still going on
  int32_t updated_cliques = 0;
  int32_t total_cliques = 0;
  int32_t updated_scaling_groups = 0;
  int32_t total_scaling_groups = 0;
  std::vector<Replica> currently_updating;
  static const StructTable& Fields();
};

struct PodCliqueSetStatus {
  struct Gang {
    std::string name;
    std::string phase;
    std::vector<Condition> conditions;
    static const StructTable& Fields();
  };
  int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::vector<LastError> last_errors;
  int32_t replicas = 0;
  int32_t updated_replicas = 0;
  int32_t available_replicas = 0;
  std::string selector;
  std::vector<Gang> gangs;
  std::string current_generation_hash;
  std::optional<PodCliqueSetUpdateProgress> update_progress;
  std::optional<ResourceClaimCounts> resource_claims;
  static const StructTable& Fields();
};

schema::ResourceDefinition PodCliqueSetDefinition();

}  // namespace hearth::api::grove
