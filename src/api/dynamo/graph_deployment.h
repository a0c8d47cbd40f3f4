#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/dynamo/backend_framework.h"
#include "api/dynamo/component.h"
#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

enum class RestartOrder { kSequential, kParallel };
constexpr std::pair<const char*, RestartOrder> kRestartOrders[] = {
    {"Sequential", RestartOrder::kSequential}, {"Parallel", RestartOrder::kParallel}};
constexpr const auto& EnumNames(RestartOrder) { return kRestartOrders; }

struct RestartStrategy {
  RestartOrder type = RestartOrder::kSequential;
  std::vector<std::string> order;
  static const StructTable& Fields();
};

// A wish to restart all components: each new id is one.
struct Restart {
  std::string id;
  std::optional<RestartStrategy> strategy;
  static const StructTable& Fields();
};

struct GraphTopologyConstraint {
  std::string cluster_topology_name;
  std::string pack_domain;
  static const StructTable& Fields();
};

struct GraphExperimental {
  json::Value kv_transfer_policy;
  static const StructTable& Fields();
};

// DynamoGraphDeployment: an inference graph, made of components.
struct GraphDeploymentSpec {
  std::map<std::string, std::string> annotations;
  std::map<std::string, std::string> labels;
  std::string priority_class_name;
  std::vector<ComponentSpec> components;
  std::vector<json::Value> env;  // core.v1.EnvVar
  std::optional<BackendFramework> backend_framework;
  std::optional<Restart> restart;
  std::optional<GraphTopologyConstraint> topology_constraint;
  std::optional<GraphExperimental> experimental;
  static const StructTable& Fields();
};

// The rule of both versions on spec: a new object asks for no restart.
schema::Rule NoRestartOnCreate();

// The whole kind, version v1beta1.
Node GraphDeploymentRoot();

}  // namespace hearth::api::dynamo
