#include "dynamo/operator/checkpoint_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "controller/conditions.h"
#include "dynamo/checkpoint/claimed_gpus.h"
#include "dynamo/checkpoint/prepared_template.h"
#include "dynamo/model/labels.h"
#include "dynamo/operator/checkpoint_cleanup.h"
#include "dynamo/operator/checkpoint_storage.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/render/gpu_claim.h"
#include "json/time.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "pods/gpus.h"
#include "pods/lists.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

using controller::EventType;
using controller::Outcome;
using controller::Pass;
using json::Value;
using Phase = api::dynamo::CheckpointPhase;
using State = CheckpointState;
using Step = CheckpointStep;

constexpr std::string_view kJobCreated = "JobCreated";
constexpr std::string_view kJobCompleted = "JobCompleted";

bool IsControlledBy(const controller::CachedObject& object, const std::string& uid) {
  const auto controller = kube::Meta(object.view()).controller();
  return controller && controller->uid == uid;
}

kube::OwnerReference OwnerOf(const CheckpointFacts& checkpoint) {
  return {.api_version = "nvidia.com/v1alpha1",
          .kind = "DynamoCheckpoint",
          .name = checkpoint.name,
          .uid = checkpoint.uid,
          .controller = true,
          .block_owner_deletion = true};
}

std::string VersionOf(const controller::CachedObject& snapshot) {
  return snapshot::ArtifactVersionOr1(
      snapshot.view()["metadata"]["annotations"][snapshot::kVersionAnnotation].StringOr(""));
}

OwnedSnapshot SnapshotOf(const controller::Snapshot<OwnedSnapshotFields>& cached) {
  const json::View conditions = cached->view()["status"]["conditions"];
  OwnedSnapshot snapshot{
      .name = std::string(cached->name()),
      .bound = !cached.get<"status.boundSnapshotContentName">().value_or("").empty(),
      .ready = controller::IsTrue(conditions, "Ready"),
      .failed = controller::IsTrue(conditions, "Failed")};
  if (const auto failed = controller::FindCondition(conditions, "Failed")) {
    snapshot.message = failed->message;
  }
  return snapshot;
}

// The server will say the same again.
bool IsFinal(const Status& status) {
  return status.Is(Code::kInvalid) || status.Is(Code::kPermissionDenied);
}

// GPUs of the container that is captured, by name and through claims.
Result<int64_t> CountGpus(Pass& pass, const CheckpointFacts& checkpoint) {
  const auto& job = checkpoint.spec.job;
  const Value* const spec = job.pod_template_spec.Find("spec");
  const Value* const target =
      spec == nullptr ? nullptr : pods::FindNamed(*spec, "containers", job.target_container_name);
  if (target == nullptr) {
    return 0;
  }
  ASSIGN_OR_RETURN(int64_t gpus, pods::GpuCount(*target));
  const std::string device_class = checkpoint.memory() == nullptr
                                       ? std::string(kDefaultDeviceClass)
                                       : checkpoint.memory()->device_class_name;
  for (const UsedClaim& claim : ClaimsOfContainer(*spec, *target)) {
    const bool of_template = !claim.template_name.empty();
    ASSIGN_OR_RETURN(const auto object,
                     pass.client().Get(of_template ? ClaimTemplates() : Claims(),
                                       {checkpoint.name_space,
                                        of_template ? claim.template_name : claim.claim_name},
                                       pass.limit()));
    const json::View content = object.view()["spec"];
    gpus += GpusOfClaim(of_template ? content["spec"] : content, device_class);
  }
  return gpus;
}

Value RenderSnapshot(const CheckpointFacts& checkpoint, const SourcePod& source) {
  Value snapshot =
      kube::NewObject(PodSnapshots(), {checkpoint.name_space, SnapshotNameOf(checkpoint)});
  pods::SetLabel(snapshot, snapshot::kOwnerLabel, checkpoint.name);
  pods::SetLabel(snapshot, snapshot::kCheckpointIdLabel, checkpoint.Id());
  pods::SetAnnotation(snapshot, snapshot::kVersionAnnotation, checkpoint.artifact_version);
  snapshot["metadata"].Set("ownerReferences", Value::Array({OwnerOf(checkpoint).ToValue()}));
  snapshot.MakePath("spec.source.podRef") =
      Value::Object({{"name", source.name},
                     {"uid", source.uid},
                     {"containers", Value::Array({checkpoint.spec.job.target_container_name})}});
  return snapshot;
}

controller::Mapper SourceToCheckpoint() {
  return controller::MapToLabel(std::string(snapshot::kOwnerLabel));
}

}  // namespace

CheckpointCaches::CheckpointCaches(controller::Manager& manager, const std::string& name_space)
    : checkpoints(manager.Watch<CheckpointFields>(
          Checkpoints(), {{.name_space = name_space}, {CheckpointsById()}})),
      jobs(manager.Watch<JobFields>(
          Jobs(),
          {{.name_space = name_space, .label_selector = std::string(snapshot::kCheckpointIdLabel)},
           {}})),
      snapshots(manager.Watch<OwnedSnapshotFields>(
          PodSnapshots(), {{.name_space = name_space}, {controller::IndexByOwner()}})),
      sources(manager.Watch<SourcePodFields>(
          kube::types::Pods(), {{.name_space = name_space,
                                 .label_selector = std::string(snapshot::kSourceLabel) + "=true"},
                                {controller::IndexByOwner()}})) {}

CheckpointReconciler::CheckpointReconciler(controller::Manager& manager, CheckpointOptions options)
    : clock_(manager.clock()), caches_(manager, options.name_space), options_(std::move(options)) {
  manager.AddController({.name = "dynamocheckpoint"}, *this)
      .For(caches_.checkpoints)
      .Owns(caches_.jobs, Checkpoints())
      .Owns(caches_.snapshots, Checkpoints())
      .Watches(caches_.sources, SourceToCheckpoint());
}

Result<Outcome> CheckpointReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = caches_.checkpoints.Get(key);
  if (!cached || (options_.includes && !options_.includes(key.name_space))) {
    return Outcome::Done();
  }
  ASSIGN_OR_RETURN(CheckpointFacts facts, ReadCheckpoint(**cached));
  if (facts.deleting) {
    return CleanUp(pass, **cached, facts, caches_.jobs, {options_.storage, options_.cleanup});
  }
  if (facts.automatic && !facts.held) {
    RETURN_IF_ERROR(pass.AddFinalizer(Checkpoints(), **cached, kFinalizer));
  }
  const CheckpointWorld world = Gather(std::move(facts));
  const CheckpointPlan plan = PlanCheckpoint(world);
  if (plan.state == State::kFailed) {
    return TryAgain(pass, *cached, world.checkpoint);
  }
  RETURN_IF_ERROR(Execute(pass, *cached, world, plan));
  return Outcome::Done();
}

Result<Outcome> CheckpointReconciler::TryAgain(Pass& pass, const Cached& cached,
                                               const CheckpointFacts& checkpoint) {
  const auto retry = NextTry(checkpoint, options_.retry, clock_.WallNow());
  if (!retry) {
    return Outcome::Done();
  }
  if (retry->wait > Duration::zero()) {
    return Outcome::After(retry->wait);
  }
  Value patch;
  Value& annotations = patch.MakePath("metadata.annotations");
  annotations.Set(snapshot::kVersionAnnotation, retry->version);
  annotations.Set(kTriesAnnotation, retry->record);
  RETURN_IF_ERROR(pass.Patch(Checkpoints(), *cached, std::move(patch)));
  pass.Event(Checkpoints(), *cached, EventType::kNormal, "CaptureRetried",
             fmt::format("version {} failed; capturing version {}", checkpoint.artifact_version,
                         retry->version));
  return Outcome::Done();
}

CheckpointWorld CheckpointReconciler::Gather(CheckpointFacts facts) const {
  CheckpointWorld world;
  world.enabled = options_.enabled;
  world.memory_allowed = options_.memory_allowed;
  world.unprepared = facts.memory() == nullptr ? "" : MissingForMemory(facts.spec);
  world.id_owner = IdOwner(facts);
  world.job = JobOf(facts);
  world.checkpoint = std::move(facts);
  AddSnapshots(world);
  const kube::ObjectKey job{world.checkpoint.name_space, world.checkpoint.JobName()};
  if (const auto cached = caches_.jobs.Get(job)) {
    for (const auto& pod : caches_.sources.Lookup(kByOwner, (*cached)->uid())) {
      if (!pod.get<"spec.nodeName">().value_or("").empty() && !pod->deleting()) {
        world.source = SourcePod{std::string(pod->name()), pod->uid()};
      }
    }
  }
  return world;
}

JobFacts CheckpointReconciler::JobOf(const CheckpointFacts& checkpoint) const {
  const auto job = caches_.jobs.Get({checkpoint.name_space, checkpoint.JobName()});
  if (!job || (*job)->deleting()) {
    return {};
  }
  if (!IsControlledBy(**job, checkpoint.uid)) {
    return {.progress = JobProgress::kForeign};
  }
  const json::View conditions = (*job)->view()["status"]["conditions"];
  if (const auto failed = controller::FindCondition(conditions, "Failed");
      failed && failed->status == "True") {
    return {.progress = JobProgress::kFailed,
            .message = failed->message.empty() ? failed->reason : failed->message};
  }
  return {.progress = controller::IsTrue(conditions, "Complete") ? JobProgress::kComplete
                                                                 : JobProgress::kRunning};
}

// Ready before everybody, then older, then first by name: every pass comes to the same answer.
std::string CheckpointReconciler::IdOwner(const CheckpointFacts& checkpoint) const {
  const auto rank = [](const CheckpointFacts& facts) {
    return std::tuple(facts.status.phase != Phase::kReady, facts.created.value_or(WallTime::max()),
                      facts.name);
  };
  std::optional<CheckpointFacts> first;
  const std::string key = kube::ObjectKey{checkpoint.name_space, checkpoint.Id()}.ToString();
  for (const auto& other : caches_.checkpoints.Lookup(kById, key)) {
    if (other->uid() == checkpoint.uid || other->deleting()) {
      continue;
    }
    auto facts = ReadCheckpoint(*other);
    if (!facts.ok()) {
      continue;
    }
    if (rank(*facts) < rank(checkpoint) && (!first || rank(*facts) < rank(*first))) {
      first = *std::move(facts);
    }
  }
  return first ? first->name : "";
}

void CheckpointReconciler::AddSnapshots(CheckpointWorld& world) const {
  const CheckpointFacts& checkpoint = world.checkpoint;
  for (const auto& snapshot : caches_.snapshots.Lookup(kByOwner, checkpoint.uid)) {
    if (IsControlledBy(*snapshot, checkpoint.uid) && !snapshot->deleting() &&
        VersionOf(*snapshot) == checkpoint.artifact_version) {
      world.snapshots.push_back(SnapshotOf(snapshot));
    }
  }
  const auto named = caches_.snapshots.Get({checkpoint.name_space, SnapshotNameOf(checkpoint)});
  world.snapshot_name_taken = named && !IsControlledBy(**named, checkpoint.uid);
}

Status CheckpointReconciler::Execute(Pass& pass, const Cached& cached, const CheckpointWorld& world,
                                     const CheckpointPlan& plan) {
  switch (plan.step) {
    case Step::kNothing:
      return plan.state == State::kReady ? Tidy(pass, world.checkpoint) : Status();
    case Step::kSetId:
      return SetId(pass, cached, world.checkpoint);
    case Step::kCreateJob:
      RETURN_IF_ERROR(CreateJob(pass, cached, world));
      break;
    case Step::kCreateSnapshot:
      return CreateSnapshot(pass, cached, world);
    case Step::kWait:
      if (plan.reason.empty()) {
        return {};
      }
      break;
    case Step::kReset:
    case Step::kAdoptJob:
    case Step::kFinish:
    case Step::kFail:
      break;
  }
  return WriteStatus(pass, cached, world, plan);
}

Status CheckpointReconciler::SetId(Pass& pass, const Cached& cached,
                                   const CheckpointFacts& checkpoint) {
  const std::string id = checkpoint.Id();
  if (checkpoint.id_label != id) {
    Value patch;
    patch.MakePath("metadata.labels").Set(snapshot::kCheckpointIdLabel, id);
    RETURN_IF_ERROR(pass.Patch(Checkpoints(), *cached, std::move(patch)));
  }
  api::dynamo::CheckpointStatus status = checkpoint.status;
  status.checkpoint_id = id;
  status.identity_hash = id;
  if (!status.phase) {
    status.phase = Phase::kPending;
  }
  return ToStatus(pass.ApplyStatus(Checkpoints(), *cached, api::Encoded(status)));
}

Status CheckpointReconciler::CreateJob(Pass& pass, const Cached& cached,
                                       const CheckpointWorld& world) {
  const CheckpointFacts& checkpoint = world.checkpoint;
  const auto tell = [&](const Status& failure) {
    pass.Event(Checkpoints(), *cached, EventType::kWarning, "JobNotCreated", failure.message());
    return failure;
  };
  const auto storage = EnsureStorage(pass, options_.storage, checkpoint.name_space);
  if (!storage.ok()) {
    return tell(storage.status());
  }
  const auto gpus = CountGpus(pass, checkpoint);
  if (!gpus.ok()) {
    return tell(gpus.status());
  }
  auto job = RenderCheckpointJob({.checkpoint = checkpoint,
                                  .storage = *storage,
                                  .seccomp_profile = options_.seccomp_profile,
                                  .gpus = *gpus});
  if (!job.ok()) {
    return tell(job.status());
  }
  (*job)["metadata"].Set("ownerReferences", Value::Array({OwnerOf(checkpoint).ToValue()}));
  Status made = pass.Create(Jobs(), *job);
  return made.ok() ? made : tell(made);
}

Status CheckpointReconciler::CreateSnapshot(Pass& pass, const Cached& cached,
                                            const CheckpointWorld& world) {
  const CheckpointFacts& checkpoint = world.checkpoint;
  const std::string name = SnapshotNameOf(checkpoint);
  Status made = pass.Create(PodSnapshots(), RenderSnapshot(checkpoint, *world.source));
  if (made.Is(Code::kAlreadyExists)) {
    return made;  // ours and not seen yet, or somebody else's: the cache will tell
  }
  if (!made.ok()) {
    pass.Event(Checkpoints(), *cached, EventType::kWarning, "PodSnapshotCreateFailed",
               made.message());
    if (!IsFinal(made)) {
      return made;
    }
    CheckpointPlan plan;
    plan.step = Step::kFail;
    plan.reason = "PodSnapshotCreateFailed";
    plan.message = made.message();
    return WriteStatus(pass, cached, world, plan);
  }
  pass.Event(Checkpoints(), *cached, EventType::kNormal, "PodSnapshotCreated",
             fmt::format("Created PodSnapshot {}", name));
  api::dynamo::CheckpointStatus status = checkpoint.status;
  status.pod_snapshot_name = name;
  return ToStatus(pass.ApplyStatus(Checkpoints(), *cached, api::Encoded(status)));
}

Status CheckpointReconciler::Tidy(Pass& pass, const CheckpointFacts& checkpoint) {
  const auto job = caches_.jobs.Get({checkpoint.name_space, checkpoint.JobName()});
  if (job && IsControlledBy(**job, checkpoint.uid)) {
    RETURN_IF_ERROR(pass.Delete(Jobs(), **job, {.propagation = "Background"}));
  }
  for (const auto& snapshot : caches_.snapshots.Lookup(kByOwner, checkpoint.uid)) {
    if (IsControlledBy(*snapshot, checkpoint.uid) &&
        VersionOf(*snapshot) != checkpoint.artifact_version) {
      RETURN_IF_ERROR(pass.Delete(PodSnapshots(), *snapshot));
    }
  }
  return {};
}

Status CheckpointReconciler::WriteStatus(Pass& pass, const Cached& cached,
                                         const CheckpointWorld& world, const CheckpointPlan& plan) {
  const CheckpointFacts& checkpoint = world.checkpoint;
  api::dynamo::CheckpointStatus status = checkpoint.status;
  Value conditions = Value::Array();
  for (const api::Condition& condition : status.conditions) {
    conditions.Append(api::Encoded(condition));
  }
  const auto condition = [&](std::string_view type, std::string_view truth) {
    conditions = controller::SetCondition(
        std::move(conditions),
        {std::string(type), std::string(truth), plan.reason, plan.message, checkpoint.generation},
        json::Time{clock_.WallNow()});
  };
  const bool creating = checkpoint.status.phase == Phase::kCreating;
  switch (plan.step) {
    case Step::kReset:
      status.phase = Phase::kPending;
      status.job_name.clear();
      status.created_at.clear();
      status.message = plan.message;
      conditions = Value::Array();
      break;
    case Step::kCreateJob:
    case Step::kAdoptJob:
      status.phase = Phase::kCreating;
      status.job_name = checkpoint.JobName();
      status.message.clear();
      condition(kJobCreated, "True");
      break;
    case Step::kFinish:
      status.phase = Phase::kReady;
      status.created_at = json::Time{clock_.WallNow()}.ToString();
      status.message.clear();
      condition(kJobCompleted, "True");
      break;
    case Step::kFail:
      status.phase = Phase::kFailed;
      status.message = plan.message;
      if (plan.state == State::kIdTaken) {
        status.job_name.clear();
        status.created_at.clear();
      }
      condition(creating ? kJobCompleted : kJobCreated, "False");
      break;
    default:
      status.message = plan.message;
      break;
  }
  Value written = api::Encoded(status);
  if (!conditions.items().empty()) {
    written.Set("conditions", std::move(conditions));
  } else {
    written.Erase("conditions");
  }
  ASSIGN_OR_RETURN(const bool changed,
                   pass.ApplyStatus(Checkpoints(), *cached, std::move(written)));
  if (!changed) {
    return {};
  }
  if (plan.step == Step::kFinish) {
    pass.Event(Checkpoints(), *cached, EventType::kNormal, "CheckpointReady",
               fmt::format("Checkpoint {} is ready", checkpoint.Id()));
  } else if (plan.step == Step::kFail && plan.state != State::kIdTaken) {
    pass.Event(Checkpoints(), *cached, EventType::kWarning, "CheckpointFailed", plan.message);
  } else if (plan.step == Step::kWait) {
    pass.Event(Checkpoints(), *cached, EventType::kWarning, plan.reason, plan.message);
  }
  return {};
}

}  // namespace hearth::dynamo
