#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/table/common.h"
#include "schema/crd.h"

namespace hearth::api::grove {

// PodGang: what a scheduler is told of pods that belong together.
struct PodGangSpec {
  struct ObjectReference {
    std::string name_space;
    std::string name;
    static const StructTable& Fields();
  };
  // In terms of node label keys, unlike the TopologyConstraint of a set.
  struct Topology {
    struct Pack {
      std::string required;
      std::string preferred;
      static const StructTable& Fields();
    };
    std::optional<Pack> pack_constraint;
    static const StructTable& Fields();
  };
  struct PodGroup {
    std::string name;
    std::vector<ObjectReference> pod_references;
    int32_t min_replicas = 0;
    std::optional<Topology> topology_constraint;
    static const StructTable& Fields();
  };
  struct TopologyGroup {
    std::string name;
    std::vector<std::string> pod_group_names;
    std::optional<Topology> topology_constraint;
    static const StructTable& Fields();
  };
  std::vector<PodGroup> pod_groups;
  std::optional<Topology> topology_constraint;
  std::vector<TopologyGroup> topology_groups;
  std::string priority_class_name;
  std::optional<ObjectReference> reuse_reservation;
  static const StructTable& Fields();
};

struct PodGangStatus {
  std::string phase;
  std::vector<Condition> conditions;
  json::Value placement_score;  // a number from the scheduler, handed on as it came
  static const StructTable& Fields();
};

schema::ResourceDefinition PodGangDefinition();

}  // namespace hearth::api::grove
