#include "dynamo/checkpoint/checkpoint_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/checkpoint/restore_template.h"
#include "dynamo/render/memory_service.h"
#include "json/quantity.h"
#include "pods/lists.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kSharedMemory = "shared-memory";
constexpr std::string_view kSharedMemoryPath = "/dev/shm";
constexpr int64_t kCleanupSeconds = 300;
constexpr size_t kMostJobName = 63;

void SetSharedMemory(const std::optional<dyn::SharedMemory>& said, Value& spec, Value& target) {
  if (said && said->disabled) {
    return;
  }
  const Value limit = said && !said->size.IsNull() ? said->size : Value("8Gi");
  pods::SetNamed(
      spec, "volumes",
      Value::Object({{"name", kSharedMemory},
                     {"emptyDir", Value::Object({{"medium", "Memory"}, {"sizeLimit", limit}})}}));
  Value::Items& mounts = pods::MakeItems(target, "volumeMounts");
  std::erase_if(mounts, [](const Value& mount) {
    return pods::Text(mount, "name") == kSharedMemory ||
           pods::Text(mount, "mountPath") == kSharedMemoryPath;
  });
  mounts.push_back(Value::Object({{"name", kSharedMemory}, {"mountPath", kSharedMemoryPath}}));
}

// The saver that the checkpoint asks for, unless the template has one already.
// Its directory, when there is one that tells of its end.
Result<std::string> AddSaver(const CheckpointJobRequest& request, const Value& target,
                             Value& spec) {
  const auto* const memory = request.checkpoint.memory();
  if (memory == nullptr || !memory->checkpoint ||
      pods::FindNamed(spec, "containers", dyn::kGmsSaver) != nullptr) {
    return std::string();
  }
  const Value* const resources = target.Find("resources");
  if (resources == nullptr || pods::FindNamed(*resources, "claims", dyn::kGpuClaim) == nullptr) {
    return InvalidError(
        "gms sidecars require main container resource claims (DRA must be enabled)");
  }
  if (request.storage.pvc_name.empty()) {
    return InvalidError("gms checkpoint jobs require resolved checkpoint storage");
  }
  ASSIGN_OR_RETURN(const std::string directory,
                   MemoryDirectory(request.storage, request.checkpoint.Id(),
                                   request.checkpoint.artifact_version));
  const dyn::GmsSaver* const said =
      memory->checkpoint->saver ? &*memory->checkpoint->saver : nullptr;
  Value saver = SaverContainer(target, {.checkpoint_directory = directory}, said);
  MountMemory(request.storage, request.checkpoint.Id(), spec, saver);
  pods::MakeItems(spec, "containers").push_back(std::move(saver));
  // Seen by the agent through the target, which must have the storage for that.
  return TellsOfItsEnd(said) && request.storage.configured ? directory : "";
}

}  // namespace

Result<Value> RenderCheckpointJob(const CheckpointJobRequest& request) {
  const CheckpointFacts& checkpoint = request.checkpoint;
  const dyn::CheckpointJob& job = checkpoint.spec.job;
  Value pod = job.pod_template_spec.IsObject() ? job.pod_template_spec : Value::Object();
  Value& spec = pod["spec"];
  const Value* const found = pods::FindNamed(spec, "containers", job.target_container_name);
  if (found == nullptr) {
    return InvalidError(
        fmt::format("checkpoint job pod template: pod spec has no container named \"{}\"",
                    job.target_container_name));
  }
  Value target = *found;
  SetSharedMemory(job.shared_memory, spec, target);
  if (request.storage.configured) {
    MountCheckpoint(request.storage, checkpoint.Id(), checkpoint.memory() != nullptr, spec, target);
  }
  TellStorage(request.storage, pod);
  Value& own = pod["spec"];  // the annotations may have moved it
  ASSIGN_OR_RETURN(const std::string memory, AddSaver(request, target, own));
  *pods::FindNamed(own, "containers", job.target_container_name) = std::move(target);
  if (!memory.empty()) {
    TellMemoryDirectory(pod, memory, snapshot::kGmsModePodUid);
  }
  pods::SetLabel(pod, snapshot::kOwnerLabel, checkpoint.name);
  pods::SetAnnotation(pod, snapshot::kTargetsAnnotation, job.target_container_name);
  ASSIGN_OR_RETURN(Value rendered, snapshot::CaptureJob(
                                       pod, {.name = checkpoint.JobName(),
                                             .namespace_name = checkpoint.name_space,
                                             .target_container = job.target_container_name,
                                             .checkpoint_id = checkpoint.Id(),
                                             .artifact_version = checkpoint.artifact_version,
                                             .seccomp_profile = request.seccomp_profile,
                                             .active_deadline_seconds = job.active_deadline_seconds,
                                             .wrap_cuda_launch_job = request.gpus > 1}));
  pods::SetLabel(rendered, snapshot::kOwnerLabel, checkpoint.name);
  return rendered;
}

std::string CleanupJobName(const CheckpointFacts& checkpoint) {
  return fmt::format("checkpoint-cleanup-{}", checkpoint.Id());
}

Result<Value> RenderCleanupJob(const CheckpointFacts& checkpoint, const Storage& storage,
                               const CleanupOptions& options) {
  const std::string id = checkpoint.Id();
  RETURN_IF_ERROR(snapshot::CheckCheckpointId(id));
  const std::string name = CleanupJobName(checkpoint);
  if (name.size() > kMostJobName) {
    return InvalidError(fmt::format("checkpoint id \"{}\" is too long to clean up after it", id));
  }
  ASSIGN_OR_RETURN(const auto layout, snapshot::StorageLayout::Create(storage.base_path));
  const std::string script = fmt::format(
      "set -eu\nfor place in '{0}/{1}' '{0}/{2}/{1}'; do\n  [ -L \"$place\" ] && exit 1\n"
      "  rm -rf -- \"$place\"\ndone\n",
      layout.base(), id, snapshot::kGmsFolder);
  Value container =
      Value::Object({{"name", "cleanup"},
                     {"image", options.image},
                     {"command", Value::Array({"/bin/sh", "-c", script})},
                     {"securityContext", Value::Object({{"allowPrivilegeEscalation", false}})}});
  Value spec = Value::Object({{"restartPolicy", "Never"}});
  MountStorage(storage, spec, container);
  spec.Set("containers", Value::Array({std::move(container)}));
  if (options.node_selector.IsObject()) {
    spec.Set("nodeSelector", options.node_selector);
  }
  if (options.tolerations.IsArray()) {
    spec.Set("tolerations", options.tolerations);
  }
  Value job = Value::Object(
      {{"apiVersion", "batch/v1"},
       {"kind", "Job"},
       {"metadata", Value::Object({{"name", name}, {"namespace", checkpoint.name_space}})},
       {"spec", Value::Object({{"backoffLimit", 0},
                               {"activeDeadlineSeconds", kCleanupSeconds},
                               {"ttlSecondsAfterFinished", kCleanupSeconds},
                               {"template", Value::Object({{"spec", std::move(spec)}})}})}});
  pods::SetLabel(job, snapshot::kCheckpointIdLabel, id);
  return job;
}

}  // namespace hearth::dynamo
