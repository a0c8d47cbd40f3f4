#pragma once

#include <optional>

#include "api/table/struct_table.h"

namespace hearth::api::grove {

// What the HorizontalPodAutoscaler of a clique or a scaling group is made from.
struct AutoScaling {
  std::optional<int32_t> min_replicas;
  int32_t max_replicas = 0;
  json::Value metrics;  // a list of autoscaling/v2 MetricSpec; null: the autoscaler's default
  static const StructTable& Fields();
};

}  // namespace hearth::api::grove
