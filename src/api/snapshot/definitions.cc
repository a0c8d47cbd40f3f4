#include "api/snapshot/definitions.h"

#include "api/snapshot/pod_snapshot.h"

namespace hearth::api::snapshot {
namespace {

constexpr const char* kReady = R"(.status.conditions[?(@.type=="Ready")].status)";
constexpr const char* kReason = R"(.status.conditions[?(@.status=="True")].reason)";
constexpr const char* kAge = ".metadata.creationTimestamp";

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
      .columns = {{"Pod", "string", ".spec.source.podRef.name"},
                  {"Container", "string", ".spec.source.podRef.containers[0]"},
                  {"Content", "string", ".status.boundSnapshotContentName", 1},
                  {"Ready", "string", kReady},
                  {"Reason", "string", kReason},
                  {"Age", "date", kAge}},
      .status_subresource = true,
      .selectable_fields = {".spec.source.podRef.name"}};
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
      .columns = {{"PodSnapshot", "string", ".spec.snapshotRef.name"},
                  {"Namespace", "string", ".spec.snapshotRef.namespace"},
                  {"Node", "string", ".spec.source.nodeName"},
                  {"Ready", "string", kReady},
                  {"Reason", "string", kReason},
                  {"Age", "date", kAge}},
      .status_subresource = true,
      .selectable_fields = {".spec.source.nodeName"}};
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
