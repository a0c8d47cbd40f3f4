#include "api/dynamo/definitions.h"

#include "api/dynamo/checkpoint.h"
#include "api/dynamo/component_deployment.h"
#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/v1alpha1_component.h"
#include "api/dynamo/v1alpha1_graph_deployment.h"
#include "api/dynamo/worker_metadata.h"

namespace hearth::api::dynamo {
namespace {

using schema::PrinterColumn;
using schema::ResourceDefinition;

constexpr const char* kGroup = "nvidia.com";

std::string OfCondition(const std::string& type, const std::string& member) {
  return ".status.conditions[?(@.type==\"" + type + "\")]." + member;
}

PrinterColumn Text(std::string name, std::string path, std::string description) {
  return {.name = std::move(name),
          .type = "string",
          .json_path = std::move(path),
          .description = std::move(description)};
}

PrinterColumn Count(std::string name, std::string path, std::string description) {
  return {.name = std::move(name),
          .type = "integer",
          .json_path = std::move(path),
          .description = std::move(description)};
}

PrinterColumn Age() {
  return {.name = "Age",
          .type = "date",
          .json_path = ".metadata.creationTimestamp",
          .description = "How long ago it was created"};
}

PrinterColumn Backend(std::string path) {
  return Text("Backend", std::move(path), "The inference engine");
}

ResourceDefinition Kind(std::string kind, std::string plural, std::string short_name) {
  return {.group = kGroup,
          .kind = std::move(kind),
          .plural = std::move(plural),
          .short_names = {std::move(short_name)},
          .categories = {"dynamo", "hearth"},
          .annotations = {{"helm.sh/resource-policy", "keep"}}};
}

// What kubectl get shows of a kind, and what its --field-selector takes in the newer version. Not
// in both: the server moves what all versions have in common to a place where it then refuses it.
struct Listing {
  std::vector<PrinterColumn> columns;
  std::vector<std::string> selectable_fields;
};

// Both versions, the older one with a warning.
void AddVersions(ResourceDefinition& definition, const Node& older, const Node& stored,
                 const Listing& listing, const ConversionService& service) {
  definition.versions = {
      {.name = "v1alpha1",
       .deprecated = true,
       .deprecation_warning = "nvidia.com/v1alpha1 " + definition.kind +
                              " is deprecated; use nvidia.com/v1beta1 " + definition.kind,
       .schema = older.Share(),
       .columns = listing.columns,
       .status_subresource = true},
      {.name = "v1beta1",
       .storage = true,
       .schema = stored.Share(),
       .columns = listing.columns,
       .status_subresource = true,
       .selectable_fields = listing.selectable_fields}};
  definition.conversion = {.service_namespace = service.name_space,
                           .service_name = service.name,
                           .path = "/convert",
                           .review_versions = {"v1"}};
}

}  // namespace

ResourceDefinition GraphDeploymentDefinition(const ConversionService& service) {
  ResourceDefinition definition = Kind("DynamoGraphDeployment", "dynamographdeployments", "dgd");
  AddVersions(definition, v1alpha1::GraphDeploymentRoot(), GraphDeploymentRoot(),
              {{Text("Ready", OfCondition("Ready", "status"), "Whether every component is ready"),
                Text("Reason", OfCondition("Ready", "reason"), "Why it is, or is not, ready"),
                Backend(".spec.backendFramework"),
                Count("Restored", ".status.startup.restored", "Workers restored from a checkpoint"),
                Count("Cold", ".status.startup.cold", "Workers that started cold"), Age()},
               {".spec.backendFramework", ".status.state"}},
              service);
  return definition;
}

ResourceDefinition ComponentDeploymentDefinition(const ConversionService& service) {
  ResourceDefinition definition =
      Kind("DynamoComponentDeployment", "dynamocomponentdeployments", "dcd");
  AddVersions(
      definition, v1alpha1::ComponentDeploymentRoot(), ComponentDeploymentRoot(),
      {{Text("Available", OfCondition("Available", "status"), "Whether enough instances serve"),
        Text("Reason", OfCondition("Available", "reason"), "Why they do, or do not"),
        Backend(".spec.backendFramework"), Age()},
       {".spec.backendFramework"}},
      service);
  return definition;
}

ResourceDefinition CheckpointDefinition() {
  ResourceDefinition definition = Kind("DynamoCheckpoint", "dynamocheckpoints", "dckpt");
  definition.versions = {
      {.name = "v1alpha1",
       .storage = true,
       .schema = CheckpointRoot().Share(),
       .columns = {Text("Model", ".spec.identity.model", "The model"),
                   Backend(".spec.identity.backendFramework"),
                   Text("Phase", ".status.phase", "How far the checkpoint is"),
                   Text("Reason", OfCondition("JobCompleted", "reason"), "Why it is there"),
                   Text("CheckpointID", ".status.checkpointID", "Id of what is stored"),
                   Text("Snapshot", ".status.podSnapshotName", "The PodSnapshot that captures it"),
                   Age()},
       .status_subresource = true,
       .selectable_fields = {".spec.identity.model", ".spec.identity.backendFramework",
                             ".status.phase", ".status.checkpointID"}}};
  return definition;
}

ResourceDefinition WorkerMetadataDefinition() {
  ResourceDefinition definition = Kind("DynamoWorkerMetadata", "dynamoworkermetadatas", "dwm");
  definition.versions = {{.name = "v1alpha1",
                          .storage = true,
                          .schema = WorkerMetadataRoot().Share(),
                          .columns = {Age()}}};
  return definition;
}

std::vector<ResourceDefinition> Definitions(const ConversionService& service) {
  return {GraphDeploymentDefinition(service), ComponentDeploymentDefinition(service),
          CheckpointDefinition(), WorkerMetadataDefinition()};
}

}  // namespace hearth::api::dynamo
