#include "api/conversion/testing/versions.h"

#include "api/dynamo/component_deployment.h"
#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/v1alpha1_component.h"
#include "api/dynamo/v1alpha1_graph_deployment.h"

namespace hearth::api::conversion::testing {

std::vector<Version> Versions() {
  namespace v1alpha1 = dynamo::v1alpha1;
  const schema::SchemaPtr old_graph = v1alpha1::GraphDeploymentRoot().Share();
  const schema::SchemaPtr graph = dynamo::GraphDeploymentRoot().Share();
  const schema::SchemaPtr old_component = v1alpha1::ComponentDeploymentRoot().Share();
  const schema::SchemaPtr component = dynamo::ComponentDeploymentRoot().Share();
  return {{"DynamoGraphDeployment", "v1alpha1", "v1beta1", old_graph, graph},
          {"DynamoGraphDeployment", "v1beta1", "v1alpha1", graph, old_graph},
          {"DynamoComponentDeployment", "v1alpha1", "v1beta1", old_component, component},
          {"DynamoComponentDeployment", "v1beta1", "v1alpha1", component, old_component}};
}

}  // namespace hearth::api::conversion::testing
