#include "api/snapshot/definitions.h"

#include "api/snapshot/pod_snapshot.h"

namespace hearth::api::snapshot {
namespace {

constexpr const char* kReady = R"(.status.conditions[?(@.type=="Ready")].status)";
constexpr const char* kReason = R"(.status.conditions[?(@.status=="True")].reason)";

schema::PrinterColumn Text(std::string name, std::string path, std::string description) {
  return {.name = std::move(name),
          .type = "string",
          .json_path = std::move(path),
          .description = std::move(description)};
}

schema::PrinterColumn Ready() { return Text("Ready", kReady, "Whether it is captured"); }

schema::PrinterColumn Reason() {
  return Text("Reason", kReason, "Why it is captured, or given up");
}

schema::PrinterColumn Age() {
  return {.name = "Age",
          .type = "date",
          .json_path = ".metadata.creationTimestamp",
          .description = "How long ago it was created"};
}

// A snapshot is of one moment: another wish is another object.
schema::Rule SpecIsImmutable() {
  return {.rule = "self == oldSelf", .message = "spec is immutable"};
}

schema::SchemaPtr RootOf(const char* doc, const StructTable& spec, const StructTable& status) {
  return Root(doc, Node(spec.schema()).Rule(SpecIsImmutable()), Node(status.schema()), true)
      .Share();
}

}  // namespace

schema::ResourceDefinition PodSnapshotDefinition() {
  schema::ResourceVersion version{
      .name = "v1alpha1",
      .storage = true,
      .schema = RootOf("A snapshot of a running pod: the wish for it, and how far it is.",
                       PodSnapshotSpec::Fields(), PodSnapshotStatus::Fields()),
      .columns = {Text("Pod", ".spec.source.podRef.name", "The pod that is captured"),
                  Text("Container", ".spec.source.podRef.containers[0]", "The container in it"),
                  Text("Content", ".status.boundSnapshotContentName",
                       "The PodSnapshotContent that holds the snapshot"),
                  Ready(), Reason(), Age()},
      .status_subresource = true,
      .selectable_fields = {".spec.source.podRef.name", ".status.boundSnapshotContentName"}};
  return {.group = "nvidia.com",
          .kind = "PodSnapshot",
          .plural = "podsnapshots",
          .short_names = {"podsnap"},
          .categories = {"hearth"},
          .annotations = {{"helm.sh/resource-policy", "keep"}},
          .versions = {std::move(version)}};
}

schema::ResourceDefinition PodSnapshotContentDefinition() {
  schema::ResourceVersion version{
      .name = "v1alpha1",
      .storage = true,
      .schema = RootOf("The snapshot itself: which node takes it, and whether it is there. Made by "
                       "the operator, worked on by the agent of the node.",
                       PodSnapshotContentSpec::Fields(), PodSnapshotContentStatus::Fields()),
      .columns = {Text("PodSnapshot", ".spec.snapshotRef.name", "The PodSnapshot it belongs to"),
                  Text("Namespace", ".spec.snapshotRef.namespace", "Where that is"),
                  Text("Node", ".spec.source.nodeName", "The node that captures"), Ready(),
                  Reason(), Age()},
      .status_subresource = true,
      .selectable_fields = {".spec.source.nodeName", ".spec.snapshotRef.namespace",
                            ".spec.snapshotRef.name"}};
  return {.group = "nvidia.com",
          .kind = "PodSnapshotContent",
          .plural = "podsnapshotcontents",
          .short_names = {"podsnapcontent"},
          .categories = {"hearth"},
          .namespaced = false,
          .annotations = {{"helm.sh/resource-policy", "keep"}},
          .versions = {std::move(version)}};
}

std::vector<schema::ResourceDefinition> Definitions() {
  return {PodSnapshotDefinition(), PodSnapshotContentDefinition()};
}

}  // namespace hearth::api::snapshot
