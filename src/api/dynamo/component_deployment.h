#pragma once

#include <optional>
#include <vector>

#include "api/dynamo/backend_framework.h"
#include "api/dynamo/component.h"
#include "api/dynamo/component_status.h"
#include "api/table/common.h"

namespace hearth::api::dynamo {

// DynamoComponentDeployment: one component, made by a graph that runs without Grove or by a user.
struct ComponentDeploymentSpec : ComponentSpec {
  std::optional<BackendFramework> backend_framework;
  static const StructTable& Fields();
};

struct ComponentDeploymentStatus {
  int64_t observed_generation = 0;
  std::vector<Condition> conditions;
  std::optional<ComponentReplicaStatus> component;
  static const StructTable& Fields();
};

// The whole kind, version v1beta1.
Node ComponentDeploymentRoot();

}  // namespace hearth::api::dynamo
