#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/checkpoint_config.h"
#include "api/dynamo/failover.h"
#include "api/dynamo/gpu_memory_service.h"
#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

enum class ComponentType { kFrontend, kWorker, kPrefill, kDecode, kPlanner, kEpp };
constexpr std::pair<const char*, ComponentType> kComponentTypes[] = {
    {"frontend", ComponentType::kFrontend}, {"worker", ComponentType::kWorker},
    {"prefill", ComponentType::kPrefill},   {"decode", ComponentType::kDecode},
    {"planner", ComponentType::kPlanner},   {"epp", ComponentType::kEpp}};
constexpr const auto& EnumNames(ComponentType) { return kComponentTypes; }

struct Multinode {
  int32_t node_count = 2;
  static const StructTable& Fields();
};

struct ModelReference {
  std::string name;
  std::string revision;
  static const StructTable& Fields();
};

// A mark: that it is there asks for a scaling adapter.
struct ScalingAdapter {
  static const StructTable& Fields();
};

struct EppConfig {
  json::Value config_map_ref;  // core.v1.ConfigMapKeySelector
  json::Value config;          // handed on as it is
  static const StructTable& Fields();
};

struct CompilationCache {
  std::string pvc_name;
  std::string mount_path;
  static const StructTable& Fields();
};

struct TopologyConstraint {
  std::string pack_domain;
  static const StructTable& Fields();
};

// Features that may still change.
struct ComponentExperimental {
  std::optional<GpuMemoryService> gpu_memory_service;
  std::optional<Failover> failover;
  std::optional<CheckpointConfig> checkpoint;
  static const StructTable& Fields();
};

// One component: of a graph, or standing alone in a DynamoComponentDeployment.
struct ComponentSpec {
  std::string name;
  std::optional<ComponentType> type;
  bool global_dynamo_namespace = false;
  json::Value pod_template;  // core.v1.PodTemplateSpec; null: none
  std::optional<int32_t> replicas;
  std::optional<int32_t> min_available;
  std::optional<Multinode> multinode;
  json::Value shared_memory_size;  // a quantity; null: the operator's default, 0: none
  std::optional<ModelReference> model_ref;
  std::optional<ScalingAdapter> scaling_adapter;
  std::optional<EppConfig> epp_config;
  std::string frontend_sidecar;
  std::optional<CompilationCache> compilation_cache;
  std::optional<TopologyConstraint> topology_constraint;
  std::optional<ComponentExperimental> experimental;
  static const StructTable& Fields();
};

// A level of the topology: zone, rack, host.
Node TopologyDomain();

}  // namespace hearth::api::dynamo
