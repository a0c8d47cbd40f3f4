#include "api/conversion/internal/kinds.h"

#include "api/conversion/internal/object_map.h"
#include "api/dynamo/component_deployment.h"
#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/v1alpha1_component.h"
#include "api/dynamo/v1alpha1_graph_deployment.h"
#include "base/check.h"

namespace hearth::api::conversion::internal {
namespace {

struct Schemas {
  schema::SchemaPtr spec;
  schema::SchemaPtr status;
};

schema::SchemaPtr Property(const schema::Schema& root, std::string_view name) {
  for (const schema::Property& property : root.properties) {
    if (property.name == name) {
      return property.schema;
    }
  }
  CHECK(false) << "no " << name;
  return nullptr;
}

Schemas Parts(const Node& root) {
  return {Property(root.schema(), "spec"), Property(root.schema(), "status")};
}

const Schemas& GraphSchemas(bool beta) {
  static const Schemas alpha_schemas = Parts(dynamo::v1alpha1::GraphDeploymentRoot());
  static const Schemas beta_schemas = Parts(dynamo::GraphDeploymentRoot());
  return beta ? beta_schemas : alpha_schemas;
}

const Schemas& ComponentSchemas(bool beta) {
  static const Schemas alpha_schemas = Parts(dynamo::v1alpha1::ComponentDeploymentRoot());
  static const Schemas beta_schemas = Parts(dynamo::ComponentDeploymentRoot());
  return beta ? beta_schemas : alpha_schemas;
}

Passage Between(Direction direction, std::string part, Mapping to_beta, Mapping to_alpha,
                const schema::SchemaPtr& alpha, const schema::SchemaPtr& beta) {
  if (direction == Direction::kToBeta) {
    return {std::move(part), std::move(to_beta), std::move(to_alpha), alpha, beta};
  }
  return {std::move(part), std::move(to_alpha), std::move(to_beta), beta, alpha};
}

Passage GraphSpec(Direction direction, const Tree& /*object_name*/) {
  return Between(direction, "spec", GraphSpecToBeta, GraphSpecToAlpha, GraphSchemas(false).spec,
                 GraphSchemas(true).spec);
}

Passage GraphStatus(Direction direction) {
  return Between(direction, "status", GraphStatusToBeta, GraphStatusToAlpha,
                 GraphSchemas(false).status, GraphSchemas(true).status);
}

Passage ComponentSpec(Direction direction, const Tree& name) {
  const Tree object_name = name.IsString() ? name : Tree();
  const Mapping to_beta = [object_name](const Tree& spec, Arena& arena) {
    return ComponentDeploymentSpecToBeta(spec, object_name, arena);
  };
  const Mapping to_alpha = [object_name](const Tree& spec, Arena& arena) {
    return ComponentDeploymentSpecToAlpha(spec, object_name, arena);
  };
  return Between(direction, "spec", to_beta, to_alpha, ComponentSchemas(false).spec,
                 ComponentSchemas(true).spec);
}

Passage ComponentStatus(Direction direction) {
  return Between(direction, "status", ComponentDeploymentStatusToBeta,
                 ComponentDeploymentStatusToAlpha, ComponentSchemas(false).status,
                 ComponentSchemas(true).status);
}

Status NothingToCheck(const Tree& /*spec*/) { return Status::Ok(); }

constexpr ConvertibleKind kKinds[] = {
    {"DynamoGraphDeployment",
     {"nvidia.com/dgd-spec", "nvidia.com/dgd-status"},
     GraphSpec,
     GraphStatus,
     CheckComponentNames},
    {"DynamoComponentDeployment",
     {"nvidia.com/dcd-spec", "nvidia.com/dcd-status"},
     ComponentSpec,
     ComponentStatus,
     NothingToCheck},
};

}  // namespace

const ConvertibleKind* FindKind(std::string_view kind) {
  for (const ConvertibleKind& known : kKinds) {
    if (known.kind == kind) {
      return &known;
    }
  }
  return nullptr;
}

}  // namespace hearth::api::conversion::internal
