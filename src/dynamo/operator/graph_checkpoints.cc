#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamo/checkpoint/auto_checkpoint.h"
#include "dynamo/model/component_hash.h"
#include "dynamo/model/labels.h"
#include "dynamo/operator/checkpoint_storage.h"
#include "dynamo/operator/graph_work.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "pods/lists.h"

// The checkpoints that the components of a graph start from.
namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

// Automatic checkpoints that a component keeps: the one it uses and the one before.
constexpr size_t kKept = 2;

std::string GraphKey(const GraphWork& work) {
  return kube::ObjectKey{work.graph.name_space, work.graph.name}.ToString();
}

// Made for this very graph, or let go of by nobody yet.
bool IsAutomaticOf(const GraphWork& work, const CheckpointFacts& checkpoint) {
  const auto& parameters = checkpoint.spec.identity.extra_parameters;
  const auto uid = parameters.find("dgdUID");
  return checkpoint.automatic && uid != parameters.end() && uid->second == work.uid();
}

bool IsKept(const controller::CachedObject& checkpoint) {
  return checkpoint.view()["metadata"]["annotations"][kDeletionPolicyAnnotation].Equals("Retain");
}

Value OwnersFor(const GraphWork& work, dyn::CheckpointDeletionPolicy policy) {
  return policy == dyn::CheckpointDeletionPolicy::kRetain ? Value::Array()
                                                          : Value::Array({OwnerOf(work).ToValue()});
}

Status EnsureStorageOnce(GraphWork& work) {
  if (work.storage) {
    return {};
  }
  ASSIGN_OR_RETURN(work.storage,
                   EnsureStorage(work.pass, work.options.storage, work.graph.name_space));
  return {};
}

// The claim template of a checkpoint's Job, which belongs to the checkpoint.
Status CreateClaimTemplate(GraphWork& work, Value claim, const kube::Object& checkpoint) {
  const kube::OwnerReference owner{.api_version = "nvidia.com/v1alpha1",
                                   .kind = "DynamoCheckpoint",
                                   .name = checkpoint.meta().name(),
                                   .uid = checkpoint.meta().uid(),
                                   .controller = true,
                                   .block_owner_deletion = true};
  claim["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
  const Status made = work.pass.Create(ClaimTemplates(), claim);
  return made.reason() == kube::reason::kAlreadyExists ? Status() : made;
}

Status CreateCheckpoint(GraphWork& work, const dyn::ComponentSpec& component,
                        const std::string& id) {
  RETURN_IF_ERROR(EnsureStorageOnce(work));
  ASSIGN_OR_RETURN(
      AutoCheckpoint made,
      RenderAutoCheckpoint({.graph = work.graph,
                            .component = component,
                            .id = id,
                            .surroundings = work.options.surroundings,
                            .worker_hash = work.WorkerHashOf(component),
                            .pull_secrets = work.caches.PullSecretsIn(work.graph.name_space)}));
  const auto policy = CheckpointOf(component)->deletion_policy;
  if (policy != dyn::CheckpointDeletionPolicy::kRetain) {
    made.checkpoint["metadata"].Set("ownerReferences", OwnersFor(work, policy));
  }
  const json::Blob body = made.checkpoint.ToBlob();
  ASSIGN_OR_RETURN(const kube::Object checkpoint,
                   work.pass.client().Create(Checkpoints(), work.graph.name_space, body.view(),
                                             work.pass.limit()));
  work.pass.Wrote(Checkpoints(), checkpoint);
  work.pass.Event(Graphs(), *work.cached, controller::EventType::kNormal, "CheckpointRequested",
                  fmt::format("component \"{}\" will be captured as DynamoCheckpoint {}",
                              component.name, checkpoint.meta().name()));
  return made.claim_template
             ? CreateClaimTemplate(work, *std::move(made.claim_template), checkpoint)
             : Status();
}

// The claim template may be missing: somebody died between the two, or deleted it.
Status MendClaimTemplate(GraphWork& work, const dyn::ComponentSpec& component,
                         const controller::CachedObject& checkpoint, const CheckpointFacts& facts) {
  const bool needed =
      facts.memory() != nullptr && (facts.status.phase.value_or(dyn::CheckpointPhase::kPending) ==
                                    dyn::CheckpointPhase::kPending);
  if (!needed || !work.caches.claim_templates) {
    return {};
  }
  ASSIGN_OR_RETURN(
      AutoCheckpoint made,
      RenderAutoCheckpoint({.graph = work.graph,
                            .component = component,
                            .id = facts.Id(),
                            .surroundings = work.options.surroundings,
                            .worker_hash = work.WorkerHashOf(component),
                            .pull_secrets = work.caches.PullSecretsIn(work.graph.name_space)}));
  if (!made.claim_template ||
      work.caches.claim_templates->Get(
          {work.graph.name_space,
           std::string(pods::Text(*made.claim_template->Find("metadata"), "name"))})) {
    return {};
  }
  const kube::Object owner(Value::Object({{"metadata", Value::Object({{"name", checkpoint.name()},
                                                                      {"uid", checkpoint.uid()}})}})
                               .ToBlob());
  return CreateClaimTemplate(work, *std::move(made.claim_template), owner);
}

// Deletion policy and owner follow the component; what is captured never changes.
Status FollowPolicy(GraphWork& work, const dyn::ComponentSpec& component,
                    const controller::CachedObject& cached, const CheckpointFacts& facts) {
  const auto policy = CheckpointOf(component)->deletion_policy;
  const std::string_view wanted = DeletionPolicyName(policy);
  const bool owned = kube::Meta(cached.view()).controller().has_value();
  const bool should_be_owned = policy != dyn::CheckpointDeletionPolicy::kRetain;
  const bool said =
      cached.view()["metadata"]["annotations"][kDeletionPolicyAnnotation].Equals(wanted);
  if (said && owned == should_be_owned && facts.held) {
    return {};
  }
  Value patch;
  patch.MakePath("metadata.annotations").Set(kDeletionPolicyAnnotation, wanted);
  patch["metadata"].Set("ownerReferences", OwnersFor(work, policy));
  if (!facts.held) {
    patch["metadata"].Set("finalizers", Value::Array({kFinalizer}));
  }
  return work.pass.Patch(Checkpoints(), cached, std::move(patch));
}

Status SyncAutomatic(GraphWork& work, const dyn::ComponentSpec& component,
                     const AskedCheckpoint& asked) {
  const auto cached = work.caches.checkpoints.Get({work.graph.name_space, asked.name});
  if (!cached) {
    return CreateCheckpoint(work, component, asked.id);
  }
  ASSIGN_OR_RETURN(const CheckpointFacts facts, ReadCheckpoint(**cached));
  if (facts.Id() != asked.id) {
    return InvalidError(
        fmt::format("checkpoint {} already exists with checkpoint ID {}", asked.name, facts.Id()));
  }
  RETURN_IF_ERROR(FollowPolicy(work, component, **cached, facts));
  return MendClaimTemplate(work, component, **cached, facts);
}

// A captured worker remembers which generation it looked for others in. With others, it must be of
// the same one.
std::string ProcessHash(const GraphWork& work, const dyn::ComponentSpec& component) {
  const auto& components = work.graph.spec.components;
  const bool has_others = std::count_if(components.begin(), components.end(), IsWorker) > 1;
  std::string hash = CaptureHash(work.graph, component);
  return has_others ? hash + "-" + work.generation.hash : hash;
}

Status SyncOne(GraphWork& work, const dyn::ComponentSpec& component) {
  const auto asked = CheckpointAskedBy(work.graph, component, ProcessHash(work, component));
  if (!asked) {
    return {};
  }
  Status synced;
  if (MemoryOf(component) != nullptr && !work.options.gms_snapshots) {
    synced = InvalidError(fmt::format(
        "component \"{}\": GMS + Snapshot is temporarily disabled; disable gpuMemoryService or "
        "enable the internal GMS + Snapshot gate",
        component.name));
  } else if (asked->automatic) {
    synced = SyncAutomatic(work, component, *asked);
  }
  if (auto found = work.caches.FindCheckpoint({work.graph.name_space, asked->name})) {
    work.checkpoints[component.name] = *std::move(found);
  } else if (!asked->automatic) {
    synced = NotFoundError(
        fmt::format("component \"{}\": DynamoCheckpoint {}/{} does not exist; create it, or remove "
                    "checkpointRef to have one made",
                    component.name, work.graph.name_space, asked->name));
  }
  const auto found = work.checkpoints.find(component.name);
  auto start =
      PlanStart(component, asked, found == work.checkpoints.end() ? nullptr : &found->second);
  if (!start.ok()) {
    return start.status();
  }
  if (start->way == StartWay::kRestored && synced.ok()) {
    synced = EnsureStorageOnce(work);
  }
  work.starts[component.name] = *std::move(start);
  return synced;
}

// Of earlier generations, all but the newest ones; never one that a component names.
void ForgetOld(GraphWork& work, Children& children) {
  std::map<std::string, std::vector<controller::Snapshot<CheckpointFields>>> of_components;
  for (const auto& cached : work.caches.checkpoints.Lookup(kByGraph, GraphKey(work))) {
    const auto facts = ReadCheckpoint(*cached);
    const bool used = std::any_of(work.starts.begin(), work.starts.end(), [&](const auto& start) {
      return start.second.checkpoint == cached->name();
    });
    if (facts.ok() && IsAutomaticOf(work, *facts) && !facts->deleting && !IsKept(*cached) &&
        !used) {
      of_components[cached->view()["metadata"]["labels"][kComponentLabel].StringOr("")].push_back(
          cached);
    }
  }
  for (auto& [component, old] : of_components) {
    std::sort(old.begin(), old.end(), [](const auto& a, const auto& b) {
      return a->view()["metadata"]["creationTimestamp"].StringOr("") >
             b->view()["metadata"]["creationTimestamp"].StringOr("");
    });
    for (size_t i = kKept - 1; i < old.size(); ++i) {
      children.Remove(Checkpoints(), old[i].ptr());
    }
  }
}

}  // namespace

void SyncCheckpoints(GraphWork& work) {
  if (!work.options.checkpoints) {
    return;
  }
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    work.Fail(SyncOne(work, WithGraphDefaults(work.graph, component)));
  }
  Children children(work);
  ForgetOld(work, children);
  children.Send();
}

Status ReleaseCheckpoints(GraphWork& work) {
  for (const auto& cached : work.caches.checkpoints.Lookup(kByGraph, GraphKey(work))) {
    ASSIGN_OR_RETURN(const CheckpointFacts facts, ReadCheckpoint(*cached));
    if (!IsAutomaticOf(work, facts) || facts.deleting) {
      continue;
    }
    if (!IsKept(*cached)) {
      RETURN_IF_ERROR(work.pass.Delete(Checkpoints(), *cached, {.propagation = "Background"}));
      continue;
    }
    Value patch;
    patch.MakePath("metadata.labels").Set(kGraphLabel, Value());
    patch["metadata"].Set("ownerReferences", Value::Array());
    RETURN_IF_ERROR(work.pass.Patch(Checkpoints(), *cached, std::move(patch)));
  }
  return {};
}

}  // namespace hearth::dynamo
