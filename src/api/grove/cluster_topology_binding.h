#pragma once

#include <string>
#include <vector>

#include "api/table/common.h"
#include "schema/crd.h"

namespace hearth::api::grove {

// ClusterTopologyBinding: the levels of the cluster, broad to narrow, by the labels of its nodes.
struct ClusterTopologyBindingSpec {
  struct Level {
    std::string domain;  // "rack"
    std::string key;     // "topology.kubernetes.io/rack"
    static const StructTable& Fields();
  };
  // A scheduler's own topology object that is made by someone else and only compared.
  struct Binding {
    std::string scheduler_name;
    std::string topology_reference;
    static const StructTable& Fields();
  };
  std::vector<Level> levels;
  std::vector<Binding> scheduler_topology_bindings;
  static const StructTable& Fields();
};

struct ClusterTopologyBindingStatus {
  struct Topology {
    std::string scheduler_name;
    std::string topology_reference;
    bool in_sync = false;
    int64_t observed_generation = 0;  // of the scheduler's object; 0: not found
    std::string message;
    static const StructTable& Fields();
  };
  int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::vector<Topology> scheduler_topologies;
  static const StructTable& Fields();
};

schema::ResourceDefinition ClusterTopologyBindingDefinition();

}  // namespace hearth::api::grove
