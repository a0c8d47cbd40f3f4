#include "dynamo/render/component_pod.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/dynamo/constants.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/render/failover.h"
#include "dynamo/render/internal/base_container.h"
#include "dynamo/render/internal/engine_flags.h"
#include "dynamo/render/internal/pod_volumes.h"
#include "dynamo/render/memory_service.h"
#include "pods/environment.h"
#include "pods/gpus.h"
#include "pods/lists.h"
#include "pods/overlay.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

const Value& Nothing() {
  static const Value kNothing = Value::Object();
  return kNothing;
}

const Value& UserSpec(const PodRequest& request) {
  const Value* const spec = request.component.pod_template.Find("spec");
  return spec != nullptr && spec->IsObject() ? *spec : Nothing();
}

std::string Named(const PodRequest& request) {
  return fmt::format("component \"{}\"", request.component.name);
}

Status CheckMounts(const PodRequest& request, const Value& container) {
  for (const Value& mount : pods::Items(container, "volumeMounts")) {
    if (pods::Text(mount, "mountPath").empty()) {
      return InvalidError(fmt::format("{}: volume mount \"{}\" has no mountPath", Named(request),
                                      pods::Text(mount, "name")));
    }
  }
  return {};
}

// A worker that comes back from a checkpoint is there within seconds: it is asked often.
void AskOften(Value& main) {
  for (const char* const name : {"readinessProbe", "startupProbe"}) {
    if (Value* const probe = main.Find(name); probe != nullptr && probe->IsObject()) {
      probe->Set("periodSeconds", 1);
    }
  }
}

Result<Value> MainContainer(const PodRequest& request, std::string_view engine) {
  Value main = internal::BaseContainer(request);
  if (const Value* const said =
          pods::FindNamed(UserSpec(request), "containers", dyn::kMainContainer);
      said != nullptr) {
    pods::Overlay(main, *said, "containers");
  }
  RETURN_IF_ERROR(CheckMounts(request, main));
  internal::AddSurroundings(request.surroundings, main);
  RETURN_IF_ERROR(internal::ShapeEngine(request, engine, main));
  if (request.checkpoint_ready && IsWorker(request.component)) {
    AskOften(main);
  }
  return main;
}

Value PodAround(const PodRequest& request) {
  Value spec = Value::Object({{"restartPolicy", "Always"}, {"terminationGracePeriodSeconds", 60}});
  Value said = UserSpec(request);
  said.Erase("containers");
  pods::Overlay(spec, said, "spec");
  if (said.Find("securityContext") == nullptr) {
    spec.Set("securityContext", Value::Object({{"fsGroup", 1000}}));
  }
  if (pods::Text(spec, "serviceAccountName").empty() &&
      request.surroundings.discovery_backend == kKubernetesDiscovery) {
    spec.Set("serviceAccountName", DiscoveryAccountName(request.graph.name));
  }
  return spec;
}

// The sidecar that serves requests has everything a frontend has, and sees what main sees.
Status MakeFrontendSidecar(const PodRequest& request, const Value::Items& mounts_of_main,
                           Value& pod_spec) {
  const std::string& name = request.component.frontend_sidecar;
  if (name.empty()) {
    return {};
  }
  Value* const said =
      name == dyn::kMainContainer ? nullptr : pods::FindNamed(pod_spec, "containers", name);
  if (said == nullptr) {
    return InvalidError(
        fmt::format("frontendSidecar \"{}\" does not match any podTemplate container", name));
  }
  Value sidecar = internal::FrontendContainer(request);
  pods::Overlay(sidecar, *said, "containers");
  internal::AddSurroundings(request.surroundings, sidecar);
  for (const Value& mount : mounts_of_main) {
    if (pods::FindItem(sidecar, "volumeMounts", "mountPath", pods::Text(mount, "mountPath")) ==
        nullptr) {
      pods::MakeItems(sidecar, "volumeMounts").push_back(mount);
    }
  }
  *said = std::move(sidecar);
  return {};
}

void AddPullSecrets(const PodRequest& request, Value& pod_spec) {
  if (!request.pull_secrets ||
      pods::Annotation(request.component.pod_template, kNoPullSecretsAnnotation) == "true") {
    return;
  }
  for (const char* const list : {"containers", "initContainers"}) {
    const Value::Items containers = pods::Items(pod_spec, list);
    for (const Value& container : containers) {
      for (const std::string& secret : request.pull_secrets(pods::Text(container, "image"))) {
        pods::SetNamed(pod_spec, "imagePullSecrets", Value::Object({{"name", secret}}));
      }
    }
  }
}

Status AddFeatures(const PodRequest& request, std::string_view engine, int64_t gpus,
                   Value& pod_spec) {
  if (request.role == Role::kCheckpoint) {
    return {};  // has a target, clients and a claim of its own
  }
  if (HasIntraPodMemory(request.component)) {
    RETURN_IF_ERROR(
        AddMemoryService(pod_spec,
                         {.claim_template = request.claim_template,
                          .target = std::string(dyn::kMainContainer),
                          .extra_clients = MemoryOf(request.component)->extra_client_containers,
                          .gpus = gpus})
            .WithContext(Named(request)));
  }
  if (HasIntraPodFailover(request.component)) {
    RETURN_IF_ERROR(CloneEngines(pod_spec, engine, request.nodes).WithContext(Named(request)));
  }
  return {};
}

Value MetadataOf(const PodRequest& request) {
  Value metadata = Value::Object();
  const Value* const said = request.component.pod_template.Find("metadata");
  for (const char* const map : {"labels", "annotations"}) {
    const Value* const entries = said == nullptr ? nullptr : said->Find(map);
    if (entries != nullptr && entries->IsObject() && !entries->members().empty()) {
      metadata.Set(map, *entries);
    }
  }
  return metadata;
}

}  // namespace

void SetOwnLabels(const PodRequest& request, Value& object) {
  const auto set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) {
      pods::SetLabel(object, key, value);
    }
  };
  const std::string_view type = TypeName(request.component);
  const bool part = request.component.type == dyn::ComponentType::kPrefill ||
                    request.component.type == dyn::ComponentType::kDecode;
  set(kGraphLabel, request.graph.name);
  set(kComponentLabel, request.component.name);
  set(kNamespaceLabel, DynamoNamespace(request.graph.name_space, request.graph.name,
                                       request.component.global_dynamo_namespace));
  set(kTypeLabel, type);
  if (part) {
    set(kSubTypeLabel, type);
  }
  set(kWorkerHashLabel, request.worker_hash);
  if (request.surroundings.discovery_backend == kKubernetesDiscovery) {
    set(kDiscoveryBackendLabel, kKubernetesDiscovery);
    set(kDiscoveryEnabledLabel, "true");
  }
  set(kMetricsLabel,
      pods::Annotation(request.component.pod_template, kEnableMetricsAnnotation) == "false"
          ? ""
          : "true");
}

Result<Value> RenderComponentPod(const PodRequest& request) {
  ASSIGN_OR_RETURN(const auto engine_kind,
                   EngineOf(request.component, request.graph.spec.backend_framework));
  const std::string_view engine = engine_kind ? EngineName(*engine_kind) : std::string_view();
  ASSIGN_OR_RETURN(Value main, MainContainer(request, engine).WithContext(Named(request)));
  ASSIGN_OR_RETURN(const int64_t gpus, pods::GpuCount(main).WithContext(Named(request)));
  Value spec = PodAround(request);
  const Value::Items own_mounts = pods::Items(main, "volumeMounts");
  RETURN_IF_ERROR(internal::AddCompilationCache(request.component, engine, spec, main));
  internal::AddSharedMemory(request.component.shared_memory_size, spec, main);

  Value::Items containers = {std::move(main)};
  for (const Value& other : pods::Items(UserSpec(request), "containers")) {
    if (pods::Text(other, "name") != dyn::kMainContainer) {
      containers.push_back(other);
    }
  }
  spec.Set("containers", Value::FromItems(std::move(containers)));
  RETURN_IF_ERROR(MakeFrontendSidecar(request, own_mounts, spec).WithContext(Named(request)));
  internal::CompleteVolumes(*pods::FindNamed(spec, "containers", dyn::kMainContainer), spec);
  AddPullSecrets(request, spec);
  RETURN_IF_ERROR(AddFeatures(request, engine, gpus, spec));

  Value pod = Value::Object({{"metadata", MetadataOf(request)}});
  SetOwnLabels(request, pod);
  pod.Set("spec", std::move(spec));
  return pod;
}

}  // namespace hearth::dynamo
