#include "dynamo/checkpoint/auto_checkpoint.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/checkpoint.h"
#include "api/dynamo/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/render/component_pod.h"
#include "dynamo/render/gpu_claim.h"
#include "dynamo/render/memory_service.h"
#include "json/quantity.h"
#include "pods/gpus.h"
#include "pods/lists.h"
#include "pods/overlay.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr std::string_view kClaimRequest = "gpus";

class Builder {
 public:
  explicit Builder(const AutoCheckpointRequest& request)
      : request_(request),
        component_(request.component),
        config_(*CheckpointOf(request.component)),
        target_(config_.target_container_name.empty() ? std::string(dyn::kMainContainer)
                                                      : config_.target_container_name) {}

  Result<AutoCheckpoint> Run() {
    ASSIGN_OR_RETURN(const dyn::BackendFramework engine, Engine());
    ASSIGN_OR_RETURN(Value pod, Template());
    AutoCheckpoint made;
    dyn::CheckpointSpec spec;
    if (MemoryOf(component_) != nullptr) {
      ASSIGN_OR_RETURN(made.claim_template, AddMemory(pod));
      spec.gpu_memory_service = Memory();
    }
    spec.identity.model = fmt::format("{}/{}", request_.graph.name_space, request_.graph.name);
    spec.identity.backend_framework = engine;
    spec.identity.extra_parameters = {{"dgdUID", request_.graph.uid},
                                      {"component", component_.name},
                                      {"checkpointID", request_.id}};
    spec.job.pod_template_spec = std::move(pod);
    spec.job.target_container_name = target_;
    spec.job.shared_memory = SharedMemory();
    made.checkpoint = Object(api::Encoded(spec));
    return made;
  }

 private:
  std::string Named() const { return fmt::format("component \"{}\"", component_.name); }

  Result<dyn::BackendFramework> Engine() const {
    ASSIGN_OR_RETURN(const auto found, EngineOf(component_, request_.graph.spec.backend_framework));
    if (found) {
      return *found;
    }
    if (config_.identity) {
      return config_.identity->backend_framework;
    }
    return InvalidError(
        fmt::format("checkpoint backend framework for component {} could not be determined; set "
                    "spec.backendFramework or use a recognizable worker command",
                    component_.name));
  }

  // The component's pod with the target alone, and what the user wants otherwise for the Job.
  Result<Value> Template() const {
    dyn::ComponentSpec alone = component_;
    alone.experimental->checkpoint.reset();
    alone.experimental->failover.reset();
    alone.frontend_sidecar.clear();
    alone.multinode.reset();
    ASSIGN_OR_RETURN(Value pod, RenderComponentPod({.graph = request_.graph,
                                                    .component = alone,
                                                    .surroundings = request_.surroundings,
                                                    .worker_hash = request_.worker_hash,
                                                    .role = Role::kCheckpoint,
                                                    .pull_secrets = request_.pull_secrets}));
    Value& spec = pod["spec"];
    const Value* const found = pods::FindNamed(spec, "containers", target_);
    if (found == nullptr) {
      return InvalidError(
          fmt::format("{}: checkpoint.targetContainerName: the pod has no container named \"{}\"",
                      Named(), target_));
    }
    spec.Set("containers", Value::Array({*found}));
    spec.Set("restartPolicy", "Never");
    if (config_.job && config_.job->pod_template.IsObject()) {
      pods::Overlay(pod, config_.job->pod_template, "template");
    }
    pods::SetLabel(pod, kGraphLabel, request_.graph.name);
    pods::SetLabel(pod, kComponentLabel, component_.name);
    if (!request_.worker_hash.empty()) {
      pods::SetLabel(pod, kWorkerHashLabel, request_.worker_hash);
    }
    return pod;
  }

  Result<std::optional<Value>> AddMemory(Value& pod) const {
    Value& spec = pod["spec"];
    ASSIGN_OR_RETURN(
        const int64_t gpus,
        pods::GpuCount(*pods::FindNamed(spec, "containers", target_)).WithContext(Named()));
    if (gpus <= 0) {
      return InvalidError(fmt::format(
          "{}: container \"{}\" asks for no GPU, so there is no memory to save", Named(), target_));
    }
    const std::string name = CheckpointClaimTemplateName(request_.id);
    RETURN_IF_ERROR(
        AddMemoryService(
            spec,
            {.claim_template = name, .target = target_, .extra_clients = Clients(), .gpus = gpus})
            .WithContext(Named()));
    Value claim = Value::Object(
        {{"apiVersion", "resource.k8s.io/v1"},
         {"kind", "ResourceClaimTemplate"},
         {"metadata", Value::Object({{"name", name}, {"namespace", request_.graph.name_space}})}});
    Label(claim);
    claim.Set("spec",
              ClaimTemplateSpec(kClaimRequest, MemoryOf(component_)->device_class_name, gpus));
    return std::optional(std::move(claim));
  }

  std::vector<std::string> Clients() const {
    return config_.job ? config_.job->gms_client_containers : std::vector<std::string>();
  }

  // What the template has: its server is always in the pod that is captured, wherever those of the
  // component's own pods are.
  dyn::v1alpha1::GpuMemoryService Memory() const {
    const dyn::GpuMemoryService& said = *MemoryOf(component_);
    dyn::v1alpha1::GpuMemoryService memory;
    memory.enabled = true;
    memory.device_class_name = said.device_class_name;
    memory.extra_client_containers = Clients();
    if (said.checkpoint) {
      memory.checkpoint.emplace().saver = said.checkpoint->saver;
    }
    return memory;
  }

  std::optional<dyn::SharedMemory> SharedMemory() const {
    if (component_.shared_memory_size.IsNull()) {
      return std::nullopt;
    }
    const auto size = json::Quantity::Parse(component_.shared_memory_size.IsString()
                                                ? component_.shared_memory_size.string()
                                                : component_.shared_memory_size.Write());
    dyn::SharedMemory memory;
    memory.disabled = size.ok() && size->Value() == 0;
    if (!memory.disabled) {
      memory.size = component_.shared_memory_size;
    }
    return memory;
  }

  void Label(Value& object) const {
    pods::SetLabel(object, snapshot::kCheckpointIdLabel, request_.id);
    pods::SetLabel(object, kGraphLabel, request_.graph.name);
    pods::SetLabel(object, kComponentLabel, component_.name);
    if (!request_.worker_hash.empty()) {
      pods::SetLabel(object, kWorkerHashLabel, request_.worker_hash);
    }
  }

  Value Object(Value spec) const {
    Value object =
        Value::Object({{"apiVersion", "nvidia.com/v1alpha1"},
                       {"kind", "DynamoCheckpoint"},
                       {"metadata", Value::Object({{"name", "checkpoint-" + request_.id},
                                                   {"namespace", request_.graph.name_space},
                                                   {"finalizers", Value::Array({kFinalizer})}})}});
    Label(object);
    pods::SetAnnotation(object, snapshot::kVersionAnnotation, "1");
    pods::SetAnnotation(object, dyn::kAutoCheckpoint, "true");
    pods::SetAnnotation(object, kDeletionPolicyAnnotation,
                        DeletionPolicyName(config_.deletion_policy));
    object.Set("spec", std::move(spec));
    return object;
  }

  const AutoCheckpointRequest& request_;
  const dyn::ComponentSpec& component_;
  const dyn::CheckpointConfig& config_;
  const std::string target_;
};

}  // namespace

std::string_view DeletionPolicyName(dyn::CheckpointDeletionPolicy policy) {
  return policy == dyn::CheckpointDeletionPolicy::kRetain ? "Retain" : "Delete";
}

Result<AutoCheckpoint> RenderAutoCheckpoint(const AutoCheckpointRequest& request) {
  return Builder(request).Run();
}

}  // namespace hearth::dynamo
