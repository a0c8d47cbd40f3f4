#include "api/dynamo/checkpoint_config.h"

#include "api/dynamo/internal/edit_schema.h"
#include "api/dynamo/pod_template.h"

namespace hearth::api::dynamo {

const StructTable& CheckpointJobConfig::Fields() {
  static const StructTable table(
      "Changes to the Job that captures the component.",
      {Field("gmsClientContainers", &CheckpointJobConfig::gms_client_containers,
             ListOf(DnsLabel()).Set(),
             "Containers of the Job that use the GPU memory service, a saver of your own say. "
             "Needs gpuMemoryService."),
       Field("podTemplate", &CheckpointJobConfig::pod_template, SchemalessPodTemplate(),
             "Merged over the pod of the Job, which starts from the component's own. Unknown "
             "fields are refused at admission.")});
  return table;
}

Node TargetContainerName() {
  return DnsLabel().Default("main").Rule(
      "size(self) <= 33",
      "must be at most 33 characters long: the name becomes part of annotation keys");
}

const StructTable& CheckpointConfig::Fields() {
  static const StructTable table(
      "Checkpoint and restore of the component.",
      {Field("enabled", &CheckpointConfig::enabled,
             "Turns checkpointing on. Without checkpointRef a checkpoint is made automatically.")
           .Required(),
       Field("mode", String().Enum({"Auto", "Manual"}),
             "Deprecated and ignored: set checkpointRef, or leave it out."),
       Field("startupPolicy", &CheckpointConfig::startup_policy,
             "Immediate: replicas start cold at once, later pods are restored once the checkpoint "
             "is ready. WaitForCheckpoint: no replica starts before that.")
           .Default("Immediate"),
       Field("deletionPolicy", &CheckpointConfig::deletion_policy,
             "What becomes of an automatic checkpoint and its data when the graph is deleted. A "
             "checkpoint named by checkpointRef is never deleted.")
           .Default("Delete"),
       Field("checkpointRef", &CheckpointConfig::checkpoint_ref,
             "Name of a DynamoCheckpoint in this namespace to restore from. When set, none is "
             "made."),
       Field("identity", &CheckpointConfig::identity,
             "Deprecated: finds a checkpoint by the hash of these values. Set checkpointRef, or "
             "leave both out."),
       Field("targetContainerName", &CheckpointConfig::target_container_name, TargetContainerName(),
             "The container that is captured and restored."),
       Field("job", &CheckpointConfig::job,
             "Changes to the Job that makes an automatic checkpoint. Not with checkpointRef.")},
      {{.rule = "!has(self.job) || !has(self.checkpointRef) || size(self.checkpointRef) == 0",
        .message = "checkpoint.job cannot be set when checkpointRef is specified"}});
  return table;
}

namespace v1alpha1 {

Node CheckpointConfigNode() {
  using internal::EditedAt;
  Node node(CheckpointConfig::Fields().schema());
  node = EditedAt(node, "", [](schema::Schema& config) { config.required.clear(); });
  node = EditedAt(node, "enabled",
                  [](schema::Schema& enabled) { enabled.default_value = json::Value(false); });
  node = EditedAt(node, "identity.model", [](schema::Schema& model) { model.min_length.reset(); });
  // Longer names are still told by the webhook; the schema takes what it always took.
  return EditedAt(node, "targetContainerName", [](schema::Schema& name) { name.rules.clear(); });
}

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
