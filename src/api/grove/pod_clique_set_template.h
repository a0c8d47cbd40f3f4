#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/grove/auto_scaling.h"
#include "api/grove/pod_clique.h"
#include "api/grove/resource_sharing.h"
#include "api/grove/topology_constraint.h"

// What each replica of a PodCliqueSet consists of.
namespace hearth::api::grove {

enum class StartupType { kAnyOrder, kInOrder, kExplicit };
inline constexpr std::pair<std::string_view, StartupType> kStartupTypes[] = {
    {"CliqueStartupTypeAnyOrder", StartupType::kAnyOrder},
    {"CliqueStartupTypeInOrder", StartupType::kInOrder},
    {"CliqueStartupTypeExplicit", StartupType::kExplicit}};
constexpr const auto& EnumNames(StartupType) { return kStartupTypes; }

struct CliqueTemplate {
  std::string name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::optional<TopologyConstraint> topology_constraint;
  std::vector<ResourceSharing> resource_sharing;
  PodCliqueSpec spec;
  static const StructTable& Fields();
};

struct ScalingGroupTemplate {
  std::string name;
  std::vector<std::string> clique_names;
  std::map<std::string, std::string> annotations;
  std::optional<int32_t> replicas;
  std::optional<int32_t> min_available;
  std::optional<AutoScaling> scale_config;
  std::vector<GroupResourceSharing> resource_sharing;
  std::optional<TopologyConstraint> topology_constraint;
  static const StructTable& Fields();
};

struct HeadlessService {
  bool publish_not_ready_addresses = true;
  static const StructTable& Fields();
};

struct PodCliqueSetTemplate {
  std::vector<CliqueTemplate> cliques;
  StartupType startup_type = StartupType::kAnyOrder;
  std::string priority_class_name;
  std::optional<HeadlessService> headless_service;
  std::string termination_delay;  // "4h0m0s"; empty: not defaulted yet
  std::optional<TopologyConstraint> topology_constraint;
  std::vector<ResourceClaimTemplate> resource_claim_templates;
  std::vector<SetResourceSharing> resource_sharing;
  std::vector<ScalingGroupTemplate> scaling_groups;
  static const StructTable& Fields();
};

}  // namespace hearth::api::grove
