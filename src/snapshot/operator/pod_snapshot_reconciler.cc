#include "snapshot/operator/pod_snapshot_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "kube/model/api_status.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/start_proof.h"

namespace hearth::snapshot {
namespace {

using controller::EventType;
using controller::Outcome;
using controller::Pass;
using State = SnapshotState;
using Step = SnapshotStep;

bool IsNotFound(const Status& status) { return status.reason() == kube::reason::kNotFound; }

std::string ContentNameFor(const SnapshotFacts& snapshot) {
  return snapshot.bound.empty() ? ContentNameOf(snapshot.uid) : snapshot.bound;
}

kube::ObjectKey PodKey(const SnapshotFacts& snapshot) {
  return {snapshot.name_space, snapshot.pod.name};
}

std::string KeyText(const SnapshotFacts& snapshot) {
  return kube::ObjectKey{snapshot.name_space, snapshot.name}.ToString();
}

}  // namespace

controller::Mapper ContentToSnapshots(const controller::Cached<SnapshotFields>& snapshots) {
  return [snapshots](const controller::CachedObject& content, const controller::Enqueue& enqueue) {
    const json::View reference = content.view()["spec"]["snapshotRef"];
    const std::string name = reference["name"].StringOr("");
    if (!name.empty()) {
      enqueue({reference["namespace"].StringOr(""), name});
    }
    // Somebody else's content may stand where ours would.
    for (const auto& snapshot : snapshots.Lookup(kByContent, content.name())) {
      enqueue(snapshot->key());
    }
  };
}

controller::Mapper PodToSnapshots(const controller::Cached<SnapshotFields>& snapshots) {
  return [snapshots](const controller::CachedObject& pod, const controller::Enqueue& enqueue) {
    for (const auto& snapshot : snapshots.Lookup(kByPod, pod.key().ToString())) {
      enqueue(snapshot->key());
    }
  };
}

PodSnapshotReconciler::PodSnapshotReconciler(controller::Manager& manager,
                                             const SnapshotCaches& caches, SnapshotMetrics& metrics,
                                             Options options)
    : clock_(manager.clock()), caches_(caches), metrics_(metrics), options_(std::move(options)) {
  manager.AddController({.name = "podsnapshot"}, *this)
      .For(caches_.snapshots)
      .Watches(caches_.contents, ContentToSnapshots(caches_.snapshots))
      .Watches(caches_.pods, PodToSnapshots(caches_.snapshots));
}

Result<Outcome> PodSnapshotReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto snapshot = caches_.snapshots.Get(key);
  if (!snapshot.has_value()) {
    metrics_.Gone(key);
    return Outcome::Done();
  }
  if (!options_.namespaces.Include(key.name_space)) {
    return Outcome::Done();
  }
  SnapshotWorld world = Gather(*snapshot);
  SnapshotPlan plan = PlanSnapshot(world);
  if (plan.doubt != Doubt::kNone) {
    ASSIGN_OR_RETURN(const bool certain, MakeCertain(pass, world, plan.doubt));
    if (!certain) {
      return Outcome::Done();
    }
    plan = PlanSnapshot(world);
  }
  Count(world, plan);
  return Execute(pass, *snapshot, world, plan);
}

SnapshotWorld PodSnapshotReconciler::Gather(const Cached& snapshot) const {
  SnapshotWorld world;
  world.snapshot = SnapshotFacts::From(*snapshot);
  world.deadline = options_.deadline;
  world.now = clock_.WallNow();
  if (const auto content = caches_.contents.Get({"", ContentNameFor(world.snapshot)})) {
    world.content = ContentFacts::From(**content);
  }
  if (!world.snapshot.bound.empty()) {
    return world;
  }
  for (const auto& content : caches_.contents.Lookup(kBySnapshot, KeyText(world.snapshot))) {
    ContentFacts facts = ContentFacts::From(*content);
    if (facts.pre_provisioned() && !facts.deleting) {
      world.provided.push_back(std::move(facts));
    }
  }
  if (const auto pod = caches_.pods.Get(PodKey(world.snapshot))) {
    world.pod = PodFacts{(*pod)->uid(), pod->get<"spec.nodeName">().value_or("")};
  }
  return world;
}

Result<bool> PodSnapshotReconciler::MakeCertain(Pass& pass, SnapshotWorld& world,
                                                Doubt doubt) const {
  ASSIGN_OR_RETURN(const bool certain, doubt == Doubt::kContent ? IsContentGone(pass, world)
                                                                : IsPodAsCached(pass, world));
  world.content_is_certain |= doubt == Doubt::kContent && certain;
  world.pod_is_certain |= doubt == Doubt::kPod && certain;
  return certain;
}

Result<bool> PodSnapshotReconciler::IsContentGone(Pass& pass, const SnapshotWorld& world) const {
  const auto content =
      pass.client().Get(PodSnapshotContents(), {"", ContentNameFor(world.snapshot)}, pass.limit());
  if (IsNotFound(content.status())) {
    return true;
  }
  RETURN_IF_ERROR(content);
  return false;
}

Result<bool> PodSnapshotReconciler::IsPodAsCached(Pass& pass, const SnapshotWorld& world) const {
  const auto pod = pass.client().Get(kube::types::Pods(), PodKey(world.snapshot), pass.limit());
  if (IsNotFound(pod.status())) {
    return !world.pod.has_value();
  }
  RETURN_IF_ERROR(pod);
  return world.pod.has_value() && pod->meta().uid() == world.pod->uid;
}

Result<Outcome> PodSnapshotReconciler::Execute(Pass& pass, const Cached& snapshot,
                                               const SnapshotWorld& world,
                                               const SnapshotPlan& plan) {
  switch (plan.step) {
    case Step::kNothing:
      break;
    case Step::kWait:
      if (plan.state == State::kPodUnscheduled) {
        pass.Event(PodSnapshots(), *snapshot, EventType::kNormal, reason::kWaitingForNode,
                   plan.message);
      }
      break;
    case Step::kAddFinalizer:
      RETURN_IF_ERROR(pass.AddFinalizer(PodSnapshots(), *snapshot, kSnapshotFinalizer));
      break;
    case Step::kDropFinalizer:
      RETURN_IF_ERROR(pass.RemoveFinalizer(PodSnapshots(), *snapshot, kSnapshotFinalizer));
      break;
    case Step::kDeleteContent:
      RETURN_IF_ERROR(DeleteContent(pass, *plan.content));
      break;
    case Step::kCreateContent:
      RETURN_IF_ERROR(CreateContent(pass, snapshot, world));
      break;
    case Step::kMirror:
      RETURN_IF_ERROR(WriteStatus(pass, snapshot, world, plan));
      RETURN_IF_ERROR(TellColdStart(pass, snapshot, *plan.content));
      break;
    case Step::kBind:
    case Step::kRefuse:
      RETURN_IF_ERROR(WriteStatus(pass, snapshot, world, plan));
      break;
  }
  return plan.look_again.has_value() ? Outcome::After(*plan.look_again) : Outcome::Done();
}

// Binding it is the next pass: a content that we made is one that we find.
Status PodSnapshotReconciler::CreateContent(Pass& pass, const Cached& snapshot,
                                            const SnapshotWorld& world) {
  if (!world.snapshot.unknown_policy.empty()) {
    pass.Event(PodSnapshots(), *snapshot, EventType::kWarning, reason::kInvalidDeletionPolicy,
               fmt::format("annotation {} is \"{}\", neither {} nor {}: the artifact is kept",
                           kDeletionPolicyAnnotation, world.snapshot.unknown_policy,
                           kDeleteArtifact, kRetainArtifact));
  }
  const json::Blob body = RenderContent(world.snapshot, *world.pod).ToBlob();
  const auto created = pass.client().Create(PodSnapshotContents(), "", body.view(), pass.limit());
  if (created.status().Is(Code::kAlreadyExists)) {
    return {};  // the cache will show it, and whose it is
  }
  if (!created.ok()) {
    pass.Event(PodSnapshots(), *snapshot, EventType::kWarning, reason::kContentCreateFailed,
               created.status().message());
    return created.status();
  }
  pass.Wrote(PodSnapshotContents(), *created);
  return {};
}

Status PodSnapshotReconciler::DeleteContent(Pass& pass, const ContentFacts& content) const {
  const auto cached = caches_.contents.Get({"", content.name});
  if (!cached.has_value() || (*cached)->uid() != content.uid) {
    return {};  // gone meanwhile, which wakes us
  }
  return pass.Delete(PodSnapshotContents(), **cached).status();
}

// The agents may write the status of contents and nothing else of them.
Status PodSnapshotReconciler::TellColdStart(Pass& pass, const Cached& snapshot,
                                            const ContentFacts& content) const {
  if (!content.is_ready() || content.artifact.cold_start_milliseconds <= 0) {
    return {};
  }
  constexpr double kMilliseconds = 1000;
  const std::string seconds = fmt::format(
      "{:.3f}", static_cast<double>(content.artifact.cold_start_milliseconds) / kMilliseconds);
  if (snapshot->view()["metadata"]["annotations"][kColdStartSecondsAnnotation].Equals(seconds)) {
    return {};
  }
  json::Value patch;
  patch.MakePath("metadata.annotations").Set(kColdStartSecondsAnnotation, seconds);
  return pass.Patch(PodSnapshots(), *snapshot, std::move(patch));
}

Status PodSnapshotReconciler::WriteStatus(Pass& pass, const Cached& snapshot,
                                          const SnapshotWorld& world, const SnapshotPlan& plan) {
  ASSIGN_OR_RETURN(const bool changed,
                   pass.ApplyStatus(PodSnapshots(), *snapshot, RenderStatus(world, plan)));
  if (changed) {
    Tell(pass, snapshot, world, plan);
  }
  return {};
}

void PodSnapshotReconciler::Tell(Pass& pass, const Cached& snapshot, const SnapshotWorld& world,
                                 const SnapshotPlan& plan) {
  const bool mirrors = plan.step == Step::kMirror;
  if (plan.step == Step::kRefuse ||
      (mirrors && plan.content->is_failed() && !plan.content->is_ready())) {
    const std::string& reason = mirrors ? plan.content->failed->reason : plan.reason;
    pass.Event(PodSnapshots(), *snapshot, EventType::kWarning, reason,
               mirrors ? plan.content->failed->message : plan.message);
    metrics_.Failed(reason);
  } else if (mirrors && plan.content->is_ready()) {
    pass.Event(PodSnapshots(), *snapshot, EventType::kNormal, plan.content->ready->reason,
               plan.content->ready->message);
    metrics_.Captured(plan.content->ready->reason,
                      world.now - world.snapshot.created.value_or(world.now));
  }
}

void PodSnapshotReconciler::Count(const SnapshotWorld& world, const SnapshotPlan& plan) {
  if (world.snapshot.deleting) {
    return;  // counted as what it was, until it is gone
  }
  const bool failed = world.snapshot.failed || plan.step == Step::kRefuse;
  const bool ready = plan.step == Step::kMirror && plan.content->is_ready();
  metrics_.Is({world.snapshot.name_space, world.snapshot.name},
              failed ? "failed" : (ready ? "ready" : "pending"));
}

}  // namespace hearth::snapshot
