#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/grove/auto_scaling.h"
#include "api/grove/last_error.h"
#include "api/grove/resource_sharing.h"
#include "api/table/common.h"
#include "schema/crd.h"

namespace hearth::api::grove {

// PodClique: pods of one role that are scheduled together. Also what a set says of its cliques.
struct PodCliqueSpec {
  std::string role_name;
  json::Value pod_spec = json::Value::Object();  // core/v1
  int32_t replicas = 0;
  std::optional<int32_t> min_available;
  // In a set the names of cliques; in a PodClique the names of PodCliques.
  std::vector<std::string> starts_after;
  std::optional<AutoScaling> auto_scaling;
  static const StructTable& Fields();
};

struct PodCliqueUpdateProgress {
  struct SelectedPods {
    std::string current;
    std::vector<std::string> completed;
    static const StructTable& Fields();
  };
  std::string update_started_at;
  std::string update_ended_at;  // empty: still going on
  std::string set_generation_hash;
  std::string pod_template_hash;
  std::optional<SelectedPods> ready_pods_selected;
  static const StructTable& Fields();
};

struct PodCliqueStatus {
  int64_t observed_generation = 0;
  std::vector<LastError> last_errors;
  int32_t replicas = 0;  // pods that are not being deleted
  int32_t ready_replicas = 0;
  int32_t updated_replicas = 0;
  int32_t schedule_gated_replicas = 0;
  int32_t scheduled_replicas = 0;
  std::string selector;  // only outside of scaling groups
  std::vector<Condition> conditions;
  std::string current_set_generation_hash;
  std::string current_pod_template_hash;
  std::optional<PodCliqueUpdateProgress> update_progress;
  std::optional<ResourceClaimCounts> resource_claims;
  static const StructTable& Fields();
};

schema::ResourceDefinition PodCliqueDefinition();

}  // namespace hearth::api::grove
