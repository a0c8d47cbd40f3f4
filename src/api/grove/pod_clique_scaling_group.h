#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/grove/last_error.h"
#include "api/grove/resource_sharing.h"
#include "api/table/common.h"
#include "schema/crd.h"

namespace hearth::api::grove {

// PodCliqueScalingGroup: cliques that are scaled as one, in one replica of a set.
struct PodCliqueScalingGroupSpec {
  int32_t replicas = 1;
  std::optional<int32_t> min_available;
  std::vector<std::string> clique_names;
  static const StructTable& Fields();
};

// Ready replicas that an update replaces one after the other, by their indices.
struct SelectedReplicas {
  int32_t current = 0;
  std::vector<int32_t> completed;
  static const StructTable& Fields();
};

struct PodCliqueScalingGroupUpdateProgress {
  std::string update_started_at;
  std::string update_ended_at;  // empty: still going on
  std::string set_generation_hash;
  int32_t updated_cliques = 0;
  int32_t total_cliques = 0;
  std::optional<SelectedReplicas> ready_replicas_selected;
  static const StructTable& Fields();
};

struct PodCliqueScalingGroupStatus {
  int32_t replicas = 0;
  int32_t scheduled_replicas = 0;
  int32_t available_replicas = 0;
  int32_t updated_replicas = 0;
  std::string selector;
  int64_t observed_generation = 0;
  std::vector<LastError> last_errors;
  std::vector<Condition> conditions;
  std::string current_set_generation_hash;
  std::optional<PodCliqueScalingGroupUpdateProgress> update_progress;
  std::optional<ResourceClaimCounts> resource_claims;
  static const StructTable& Fields();
};

schema::ResourceDefinition PodCliqueScalingGroupDefinition();

}  // namespace hearth::api::grove
