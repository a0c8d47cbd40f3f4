#include "api/dynamo/v1alpha1_graph_deployment.h"

#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/graph_status.h"
#include "api/dynamo/kv_transfer_policy.h"
#include "api/dynamo/v1alpha1_component.h"

namespace hearth::api::dynamo::v1alpha1 {
namespace {

Node ClaimNode() {
  return Object(
      "A claim that services mount.",
      {Field("create", Boolean(), "Makes the claim; otherwise it must be there."),
       Field("name", String(), "Name of the claim.").Required(),
       Field("storageClass", String(), "Its StorageClass. Needed with create."),
       Field("size", Quantity(), "Its size. Needed with create."),
       Field("volumeAccessMode", String(), "Its access mode. Needed with create.")},
      {{.rule = "!has(self.create) || !self.create || "
                "(has(self.size) && has(self.storageClass) && has(self.volumeAccessMode))",
        .message = "When create is true, size, storageClass, and volumeAccessMode are required"}});
}

Node TopologyConstraintNode() {
  return Object("Where pods must be together.",
                {Field("topologyProfile", String().MinLength(1),
                       "Name of the cluster topology that says which levels there are.")
                     .Required(),
                 Field("packDomain", TopologyDomain(),
                       "The level that services are packed into which say nothing themselves.")});
}

Node SpecNode() {
  return Object(
      "The graph.",
      {Field("annotations", StringMap(),
             "Put on every object that is made for the graph. What a service says wins."),
       Field("labels", StringMap(),
             "Put on every object that is made for the graph. What a service says wins."),
       Field("priorityClassName", String(), "PriorityClass of all pods. With Grove only."),
       Field("pvcs", ListOf(ClaimNode()).MaxItems(100), "Claims that services mount."),
       Field("services", MapOf(ServiceNode()).MaxProperties(25),
             "The components by their names. None can be added or taken away later."),
       Field("envs", ListOf(Kube("core.v1.EnvVar")),
             "Environment variables of every service; its own of the same name win."),
       Field("backendFramework", Codec<BackendFramework>::Describe(),
             "The inference engine. Cannot be changed."),
       Field("restart", Node(Restart::Fields().schema()),
             "Asks for a restart of all services. Cannot be set at creation."),
       Field("topologyConstraint", TopologyConstraintNode(),
             "Where pods must be together. Cannot be changed."),
       Field("experimental",
             Object("", {Field("kvTransferPolicy", KvTransferPolicyNode(),
                               "Keeps transfers of the KV cache between prefill and decode workers "
                               "near.")}),
             "Features that may still change between versions.")},
      {NoRestartOnCreate()});
}

Node RollingUpdateNode() {
  schema::Schema node = *RollingUpdateStatus::Fields().schema();
  for (schema::Property& property : node.properties) {
    if (property.name == "updatedComponents") {
      property.name = "updatedServices";
    }
  }
  return Node(std::move(node));
}

Node StatusNode() {
  schema::Schema node = *GraphDeploymentStatus::Fields().schema();
  for (schema::Property& property : node.properties) {
    if (property.name == "components") {
      property.name = "services";
      property.schema = MapOf(ServiceReplicaStatusNode())
                            .Doc("How many instances each service has, by its name.")
                            .Share();
    } else if (property.name == "rollingUpdate") {
      property.schema = RollingUpdateNode().Doc(property.schema->description).Share();
    }
  }
  return Node(std::move(node));
}

}  // namespace

Node GraphDeploymentRoot() {
  return Root(
      "DynamoGraphDeployment runs an inference graph: frontends, workers and what they need.",
      SpecNode(), StatusNode(), /*spec_required=*/false);
}

}  // namespace hearth::api::dynamo::v1alpha1
