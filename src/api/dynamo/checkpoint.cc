#include "api/dynamo/checkpoint.h"

#include "api/dynamo/checkpoint_config.h"
#include "api/dynamo/internal/edit_schema.h"

namespace hearth::api::dynamo {
namespace {

using internal::EditedAt;

// A loader belongs to who consumes the checkpoint: each may have another one. The Job has a server
// of its own, wherever the consumers have theirs.
Node GpuMemoryServiceNode() {
  auto memory = std::make_shared<schema::Schema>(*v1alpha1::GpuMemoryService::Fields().schema());
  memory->rules.push_back(
      {.rule = "!has(self.checkpoint) || self.mode == 'intraPod'",
       .message = "gpuMemoryService.checkpoint is only supported with mode=intraPod"});
  Node node(std::move(memory));
  node = EditedAt(node, "checkpoint.loader", [](schema::Schema& loader) {
    loader.description =
        "Refused here: a checkpoint may be restored by components with different loaders. Set "
        "gpuMemoryService.checkpoint.loader on the component that consumes the checkpoint.";
  });
  return EditedAt(node, "checkpoint", [](schema::Schema& checkpoint) {
    checkpoint.description =
        "The operator's own saver of GPU memory. When this is set, be it empty, the container "
        "gms-saver is added to the Job.";
    checkpoint.rules.push_back(
        {.rule = "!has(self.loader)",
         .message = "loader is not valid on DynamoCheckpoint; set it on the consuming component",
         .reason = "FieldValueForbidden",
         .field_path = ".loader"});
  });
}

// A change after the Job was made would be stored and never looked at: what is captured must be
// what is written.
schema::Rule Fixed(const std::string& member) {
  const std::string now = "self." + member;
  const std::string before = "oldSelf." + member;
  return {.rule = "has(" + now + ") == has(" + before + ") && (!has(" + now + ") || " + now +
                  " == " + before + ")",
          .message = "is immutable after creation; make a new DynamoCheckpoint",
          .field_path = "." + member};
}

}  // namespace

const StructTable& CheckpointJob::Fields() {
  static const StructTable table(
      "The Job that starts the workload and is captured.",
      {Field("podTemplateSpec", &CheckpointJob::pod_template_spec, Kube("core.v1.PodTemplateSpec"),
             "The pod, with all that the workload needs: variables, service account, claims.")
           .Required(),
       Field("targetContainerName", &CheckpointJob::target_container_name, TargetContainerName(),
             "The container that is captured."),
       Field("sharedMemory", &CheckpointJob::shared_memory,
             "The size of /dev/shm; 8Gi when absent."),
       Field("activeDeadlineSeconds", &CheckpointJob::active_deadline_seconds,
             Integer64().Min(1).Default(3600),
             "How long the Job may take. All else in spec cannot be changed."),
       Field("backoffLimit", Integer32().Min(0),
             "Deprecated and ignored: a checkpoint Job is never repeated."),
       Field("ttlSecondsAfterFinished", Integer32().Min(0),
             "Deprecated and ignored: a finished Job is kept for 300 seconds.")},
      {Fixed("podTemplateSpec"), Fixed("targetContainerName"), Fixed("sharedMemory"),
       Fixed("backoffLimit"), Fixed("ttlSecondsAfterFinished")});
  return table;
}

const StructTable& CheckpointSpec::Fields() {
  static const StructTable table(
      "What to capture, and how.",
      {Field("identity", &CheckpointSpec::identity, v1alpha1::CheckpointIdentityNode(),
             "What the checkpoint is made of. Cannot be changed.")
           .Required(),
       Field("gpuMemoryService", &CheckpointSpec::gpu_memory_service, GpuMemoryServiceNode(),
             "Says that the pod template is wired for the GPU memory service. Adds no server and "
             "no claim: a template that lacks them is refused."),
       Field("job", &CheckpointSpec::job, "The Job that starts the workload and is captured.")
           .Required()},
      {Fixed("gpuMemoryService")});
  return table;
}

const StructTable& CheckpointStatus::Fields() {
  static const StructTable table(
      "How far the checkpoint is.",
      {Field("phase", &CheckpointStatus::phase,
             "Pending: no Job yet. Creating: the Job runs or is being captured. Ready: pods can "
             "be restored. Failed: given up."),
       Field("checkpointID", &CheckpointStatus::checkpoint_id, "Id of what is stored."),
       Field("identityHash", &CheckpointStatus::identity_hash,
             "Deprecated: the same as checkpointID."),
       Field("location", String(), "Deprecated, never written."),
       Field("storageType", String().Enum({"pvc", "s3", "oci"}), "Deprecated, never written."),
       Field("jobName", &CheckpointStatus::job_name, "Name of the Job."),
       Field("podSnapshotName", &CheckpointStatus::pod_snapshot_name,
             "Name of the PodSnapshot that captures the Job's pod. To look at only: the operator "
             "finds it by its owner."),
       Field("createdAt", &CheckpointStatus::created_at, Timestamp(), "When it became ready."),
       Field("message", &CheckpointStatus::message, "What is going on, for people."),
       Field("conditions", &CheckpointStatus::conditions, ConditionList(),
             "JobCreated: the Job is there. JobCompleted: the capture is done and durable, or why "
             "not.")});
  return table;
}

Node CheckpointRoot() {
  return Root(
      "DynamoCheckpoint is a warm worker, captured once and restored many times.",
      Node(CheckpointSpec::Fields().schema()), Node(CheckpointStatus::Fields().schema()),
      /*spec_required=*/true,
      {{.rule = "!has(oldSelf.spec) || self.spec.identity == oldSelf.spec.identity",
        .message = "spec.identity is immutable after creation"},
       {.rule = "size(self.metadata.name) <= 63",
        .message = "metadata.name must be at most 63 characters long: it becomes a label value",
        .field_path = ".metadata"}});
}

}  // namespace hearth::api::dynamo
