#include "api/dynamo/component_deployment.h"

#include "api/dynamo/internal/component_fields.h"

namespace hearth::api::dynamo {

const StructTable& ComponentDeploymentSpec::Fields() {
  static const StructTable table = [] {
    std::vector<Field> fields = internal::ComponentFields<ComponentDeploymentSpec>();
    fields.insert(fields.begin(),
                  Field("backendFramework", &ComponentDeploymentSpec::backend_framework,
                        "The inference engine. Cannot be changed."));
    return StructTable("The component.", std::move(fields), internal::ComponentRules());
  }();
  return table;
}

const StructTable& ComponentDeploymentStatus::Fields() {
  static const StructTable table(
      "How the component is.",
      {Field("observedGeneration", &ComponentDeploymentStatus::observed_generation,
             "The generation of the spec that was last worked through without an error."),
       Field("conditions", &ComponentDeploymentStatus::conditions, ConditionList(),
             "Available: enough instances serve. DynamoComponentReady: its objects are in place."),
       Field("component", &ComponentDeploymentStatus::component, "How many instances there are.")});
  return table;
}

Node ComponentDeploymentRoot() {
  return Root("DynamoComponentDeployment runs one component of an inference graph.",
              Node(ComponentDeploymentSpec::Fields().schema()),
              Node(ComponentDeploymentStatus::Fields().schema()), /*spec_required=*/false);
}

}  // namespace hearth::api::dynamo
