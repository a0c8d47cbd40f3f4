#include "dynamo/operator/component_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/component_deployment.h"
#include "controller/child.h"
#include "controller/conditions.h"
#include "dynamo/checkpoint/component_start.h"
#include "dynamo/graph/component_deployment.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/operator/checkpoint_storage.h"
#include "dynamo/render/children.h"
#include "dynamo/render/component_pod.h"
#include "json/time.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using controller::EventType;
using controller::Outcome;
using controller::Pass;
using json::Value;

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kComponentReady = "DynamoComponentReady";
constexpr std::string_view kFormerManagers[] = {"manager", "dynamo-operator"};

bool IsFinal(const Status& status) {
  return status.Is(Code::kInvalid) || status.Is(Code::kUnsupported);
}

controller::Mapper MapCheckpointToComponents(
    const controller::Cached<ChildComponentFields>& components) {
  return
      [components](const controller::CachedObject& checkpoint, const controller::Enqueue& enqueue) {
        for (const auto& user : components.Lookup(kByCheckpoint, checkpoint.key().ToString())) {
          enqueue(user->key());
        }
      };
}

int32_t Number(json::View object, std::string_view field) {
  return static_cast<int32_t>(object[field].Int().value_or(0));
}

}  // namespace

struct ComponentReconciler::Work {
  Pass& pass;
  const controller::Snapshot<ComponentFields>& cached;
  kube::ObjectKey key;
  GraphFacts graph;
  dyn::ComponentDeploymentSpec spec;
  bool alone = false;  // no graph made it
  std::optional<CheckpointFacts> checkpoint;
  ComponentStart start;
  std::string claim_template;

  int32_t Replicas() const { return start.way == StartWay::kWaits ? 0 : spec.replicas.value_or(1); }

  template <typename P>
  Status Want(const kube::ResourceType& type, const controller::Cached<P>& cache, Value desired,
              controller::Birth birth = controller::Birth::kCreate) {
    const kube::OwnerReference owner{.api_version = "nvidia.com/v1beta1",
                                     .kind = "DynamoComponentDeployment",
                                     .name = key.name,
                                     .uid = cached->uid(),
                                     .controller = true,
                                     .block_owner_deletion = true};
    desired["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    const auto there =
        cache.Get({key.name_space, std::string(pods::Text(*desired.Find("metadata"), "name"))});
    const bool changed =
        cached->view()["status"]["observedGeneration"].Int().value_or(0) != cached->generation();
    return ToStatus(controller::EnsureChild(pass,
                                            {.type = type,
                                             .desired = std::move(desired),
                                             .cached = there ? &**there : nullptr,
                                             .birth = birth,
                                             .changed = changed,
                                             .former_managers = kFormerManagers},
                                            cached->uid()));
  }
};

ComponentReconciler::ComponentReconciler(controller::Manager& manager, const GraphCaches& caches,
                                         const GraphOptions& options)
    : clock_(manager.clock()),
      caches_(caches),
      options_(options),
      own_(manager.Watch<ComponentFields>(ComponentDeployments(),
                                          {{.name_space = options.name_space}, {}})) {
  auto builder = manager.AddController(
      {.name = "dynamocomponentdeployment", .workers = options.workers}, *this);
  builder.For(own_)
      .Owns(caches_.deployments, ComponentDeployments())
      .Owns(caches_.services, ComponentDeployments())
      .Watches(caches_.checkpoints, MapCheckpointToComponents(caches_.components));
  if (caches_.claim_templates) {
    builder.Owns(*caches_.claim_templates, ComponentDeployments());
  }
}

Result<Outcome> ComponentReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = own_.Get(key);
  if (!cached || !caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  if ((*cached)->deleting()) {
    // Upstream's operator holds on to components; there is nothing to do for it.
    RETURN_IF_ERROR(pass.RemoveFinalizer(ComponentDeployments(), **cached, kFinalizer));
    return Outcome::Done();
  }
  auto spec = api::DecodeAs<dyn::ComponentDeploymentSpec>((*cached)->view()["spec"]);
  if (!spec.ok()) {
    return controller::TerminalError(fmt::format("DynamoComponentDeployment {} cannot be read: {}",
                                                 key.ToString(), spec.status().message()));
  }
  Work work{
      .pass = pass,
      .cached = *cached,
      .key = key,
      .graph = GraphOfDeployment({key.name, key.name_space, (*cached)->uid()}, (*cached)->view()),
      .spec = *std::move(spec)};
  work.alone = work.graph.uid == (*cached)->uid();
  work.graph.spec.backend_framework = work.spec.backend_framework;
  if (work.spec.name.empty()) {
    work.spec.name = key.name;
  }
  const Status synced = Sync(work);
  if (synced.ok() || synced.reason() != kube::reason::kConflict) {
    Status told = synced.ok() ? WriteStatus(work) : WriteFailure(work, synced);
    RETURN_IF_ERROR(told);
  }
  if (!synced.ok() && !IsFinal(synced)) {
    return synced;
  }
  return Outcome::Done();
}

Status ComponentReconciler::Sync(Work& work) const {
  if (NodesOf(work.spec) > 1) {
    return UnsupportedError("no multinode orchestrator available");
  }
  if (HasInterPodMemory(work.spec)) {
    return UnsupportedError(
        "gpuMemoryService.mode InterPod needs a DynamoGraphDeployment that runs through Grove");
  }
  RETURN_IF_ERROR(PlanStartOf(work));
  RETURN_IF_ERROR(WantClaimTemplate(work));
  RETURN_IF_ERROR(WantService(work));
  return WantDeployment(work);
}

Status ComponentReconciler::PlanStartOf(Work& work) const {
  const auto* const config = CheckpointOf(work.spec);
  if (config == nullptr || !options_.checkpoints) {
    return {};
  }
  AskedCheckpoint asked{.name = config->checkpoint_ref};
  if (!asked.name.empty()) {
    work.checkpoint = caches_.FindCheckpoint({work.key.name_space, asked.name});
  } else if (config->identity) {
    ASSIGN_OR_RETURN(work.checkpoint, FindByIdentity(work, *config->identity));
    asked.name = work.checkpoint ? work.checkpoint->name : "";
  }
  ASSIGN_OR_RETURN(work.start,
                   PlanStart(work.spec, asked, work.checkpoint ? &*work.checkpoint : nullptr));
  return {};
}

Result<std::optional<CheckpointFacts>> ComponentReconciler::FindByIdentity(
    const Work& work, const dyn::CheckpointIdentity& identity) const {
  CheckpointFacts wanted;
  wanted.spec.identity = identity;
  const std::string key = kube::ObjectKey{work.key.name_space, wanted.Id()}.ToString();
  std::optional<CheckpointFacts> found;
  for (const auto& cached : caches_.checkpoints.Lookup(kById, key)) {
    ASSIGN_OR_RETURN(CheckpointFacts facts, ReadCheckpoint(*cached));
    if (found) {
      return InvalidError(
          fmt::format("checkpoint.identity: {} and {} have the same; name one of "
                      "them by checkpointRef",
                      found->name, facts.name));
    }
    found = std::move(facts);
  }
  return found;
}

Status ComponentReconciler::WantClaimTemplate(Work& work) const {
  if (!HasIntraPodMemory(work.spec)) {
    return {};
  }
  if (!caches_.claim_templates) {
    return UnsupportedError(
        "gpuMemoryService requires DRA (Dynamic Resource Allocation), but the resource.k8s.io/v1 "
        "API is not registered on this cluster, which requires Kubernetes 1.34+");
  }
  ASSIGN_OR_RETURN(auto object, RenderClaimTemplate(work.graph, work.spec));
  if (!object) {
    return {};
  }
  work.claim_template = pods::Text(*object->Find("metadata"), "name");
  // Of a graph, it is the graph's.
  return work.alone ? work.Want(ClaimTemplates(), *caches_.claim_templates, *std::move(object),
                                controller::Birth::kCreate)
                    : Status();
}

Status ComponentReconciler::WantDeployment(Work& work) const {
  const Value labels((*work.cached).view()["metadata"]["labels"]);
  const Value* const hash = labels.Find(kWorkerHashLabel);
  ASSIGN_OR_RETURN(
      Value pod, RenderComponentPod({.graph = work.graph,
                                     .component = work.spec,
                                     .surroundings = options_.surroundings,
                                     .worker_hash = hash == nullptr ? "" : hash->StringOr(""),
                                     .checkpoint_ready = work.start.ready,
                                     .claim_template = work.claim_template,
                                     .pull_secrets = caches_.PullSecretsIn(work.key.name_space)}));
  StartSurroundings surroundings{.storage = std::nullopt,
                                 .seccomp_profile = options_.seccomp_profile};
  if (work.start.way == StartWay::kRestored) {
    ASSIGN_OR_RETURN(surroundings.storage,
                     EnsureStorage(work.pass, options_.storage, work.key.name_space));
  }
  RETURN_IF_ERROR(ShapeStart(pod, work.spec, work.start,
                             work.checkpoint ? &*work.checkpoint : nullptr, surroundings));
  return work.Want(
      kube::types::Deployments(), caches_.deployments,
      RenderDeployment(work.graph, work.spec, work.key.name, work.Replicas(), std::move(pod)));
}

Status ComponentReconciler::WantService(Work& work) const {
  Value service = RenderService(work.graph, work.spec, options_.surroundings);
  service["metadata"].Set("name", ServiceNameOfDeployment(work.key.name));
  return work.Want(kube::types::Services(), caches_.services, std::move(service));
}

Status ComponentReconciler::WriteStatus(Work& work) const {
  const auto deployment = caches_.deployments.Get(work.key);
  const json::View there = deployment ? (*deployment)->view()["status"] : json::View();
  const bool seen =
      deployment && there["observedGeneration"].Int().value_or(0) >= (*deployment)->generation();
  dyn::ComponentReplicaStatus counts;
  counts.component_kind = dyn::ComponentKind::kDeployment;
  counts.component_names = {work.key.name};
  counts.runtime_namespace =
      DynamoNamespace(work.key.name_space, work.graph.name, work.spec.global_dynamo_namespace);
  counts.replicas = Number(there, "replicas");
  counts.updated_replicas = Number(there, "updatedReplicas");
  counts.ready_replicas = Number(there, "readyReplicas");
  counts.available_replicas = Number(there, "availableReplicas");
  const int32_t wanted = work.Replicas();
  const bool ready = seen && counts.updated_replicas >= wanted &&
                     *counts.available_replicas >= wanted && counts.replicas == wanted;
  std::string message =
      fmt::format("{} of {} pods are available", *counts.available_replicas, wanted);
  if (work.start.way == StartWay::kWaits) {
    message = fmt::format("waits for checkpoint {}", work.start.checkpoint);
  }
  dyn::ComponentDeploymentStatus status;
  // Pods are counted for the generation that they are of.
  status.observed_generation =
      seen ? work.cached->generation()
           : work.cached->view()["status"]["observedGeneration"].Int().value_or(0);
  status.component = std::move(counts);
  return Write(work, api::Encoded(status), ready && work.start.way != StartWay::kWaits,
               ready ? "DeploymentReady" : "DeploymentNotReady", message);
}

Status ComponentReconciler::WriteFailure(Work& work, const Status& failure) const {
  Value status(work.cached->view()["status"]);
  if (!status.IsObject()) {
    status = Value::Object();
  }
  const auto before =
      controller::FindCondition(work.cached->view()["status"]["conditions"], kComponentReady);
  if (!before || before->message != failure.message()) {
    work.pass.Event(ComponentDeployments(), *work.cached, EventType::kWarning, "ReconcileError",
                    failure.message());
  }
  return Write(work, std::move(status), false, "Reconciling", std::string(failure.message()));
}

Status ComponentReconciler::Write(Work& work, Value status, bool available, std::string_view reason,
                                  const std::string& message) const {
  Value conditions(work.cached->view()["status"]["conditions"]);
  const json::Time now{clock_.WallNow()};
  for (const std::string_view type : {kAvailable, kComponentReady}) {
    conditions = controller::SetCondition(std::move(conditions),
                                          {std::string(type), available ? "True" : "False",
                                           std::string(reason), message, work.cached->generation()},
                                          now);
  }
  status.Set("conditions", std::move(conditions));
  return ToStatus(work.pass.ApplyStatus(ComponentDeployments(), *work.cached, std::move(status)));
}

}  // namespace hearth::dynamo
