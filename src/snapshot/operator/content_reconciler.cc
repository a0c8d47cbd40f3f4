#include "snapshot/operator/content_reconciler.h"

#include <algorithm>
#include <utility>

#include "json/time.h"
#include "kube/model/api_status.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {
namespace {

using controller::CachedObject;
using controller::Enqueue;
using controller::EventType;
using controller::Outcome;
using controller::Pass;
using json::Value;
using State = ContentState;
using Step = ContentStep;

// Nobody waits for anything any more.
bool IsFinished(const CachedObject& content) {
  const json::View conditions = content.view()["status"]["conditions"];
  return !content.deleting() && (controller::IsTrue(conditions, kReadyCondition) ||
                                 controller::IsTrue(conditions, kFailedCondition));
}

void EnqueueUnfinished(const std::vector<controller::Snapshot<ContentFields>>& contents,
                       const Enqueue& enqueue) {
  for (const auto& content : contents) {
    if (!IsFinished(*content)) {
      enqueue(content->key());
    }
  }
}

// Whose agent is to work on it; contents of others may lack the label.
std::string AddresseeOf(const ContentFacts& content) {
  return content.addressee.empty() ? NodeLabelValue(content.spec.source.node_name)
                                   : content.addressee;
}

std::string_view ResultOf(State state) {
  switch (state) {
    case State::kDeletedAnswered:
      return "deleted";
    case State::kDeletedNothingStored:
      return "nothing_stored";
    case State::kDeletedShared:
      return "shared";
    case State::kDeletedOverdue:
      return "abandoned";
    default:
      return "";
  }
}

}  // namespace

controller::Mapper LeaseToContents(const controller::Cached<ContentFields>& contents) {
  return [contents](const CachedObject& lease, const Enqueue& enqueue) {
    const std::string node = lease.view()["spec"]["holderIdentity"].StringOr("");
    EnqueueUnfinished(contents.Lookup(kByNode, NodeLabelValue(node)), enqueue);
  };
}

controller::Mapper AgentToLeavingContents(const controller::Cached<ContentFields>& contents) {
  return [contents](const CachedObject&, const Enqueue& enqueue) {
    EnqueueUnfinished(contents.Lookup(kLeaving, ""), enqueue);
  };
}

controller::Mapper NodeToContents(const controller::Cached<ContentFields>& contents) {
  return [contents](const CachedObject& node, const Enqueue& enqueue) {
    EnqueueUnfinished(contents.Lookup(kByNode, node.name()), enqueue);
  };
}

controller::Mapper SnapshotToContents() {
  return [](const CachedObject& snapshot, const Enqueue& enqueue) {
    enqueue({"", ContentNameOf(snapshot.uid())});
  };
}

ContentReconciler::ContentReconciler(controller::Manager& manager, const SnapshotCaches& caches,
                                     SnapshotMetrics& metrics, Options options)
    : clock_(manager.clock()), caches_(caches), metrics_(metrics), options_(std::move(options)) {
  manager.AddController({.name = "podsnapshotcontent"}, *this)
      .For(caches_.contents)
      .Watches(caches_.snapshots, SnapshotToContents())
      .Watches(caches_.nodes, NodeToContents(caches_.contents))
      .Watches(caches_.leases, LeaseToContents(caches_.contents))
      .Watches(caches_.agents, AgentToLeavingContents(caches_.contents));
}

Result<Outcome> ContentReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto content = caches_.contents.Get(key);
  if (!content.has_value()) {
    return Outcome::Done();
  }
  ContentWorld world = Gather(*content);
  if (!options_.namespaces.Include(world.content.spec.snapshot.name_space)) {
    return Outcome::Done();
  }
  ContentPlan plan = PlanContent(world);
  if (plan.doubt != ContentDoubt::kNone) {
    ASSIGN_OR_RETURN(const bool certain, MakeCertain(pass, world, plan.doubt));
    if (!certain) {
      return Outcome::Done();
    }
    plan = PlanContent(world);
  }
  return Execute(pass, *content, world, plan);
}

ContentWorld ContentReconciler::Gather(const Cached& content) {
  ContentWorld world;
  world.content = ContentFacts::From(*content);
  world.limits = options_.limits;
  world.now = clock_.WallNow();
  const auto& reference = world.content.spec.snapshot;
  if (const auto snapshot = caches_.snapshots.Get({reference.name_space, reference.name})) {
    SnapshotFacts facts = SnapshotFacts::From(**snapshot);
    if (BelongsTo(world.content, facts)) {
      world.snapshot = std::move(facts);
    }
  }
  world.node_exists = caches_.nodes.Get({"", world.content.spec.source.node_name}).has_value();
  world.artifact_is_shared = world.content.deleting && IsShared(world.content);
  GatherAgents(world);
  return world;
}

void ContentReconciler::GatherAgents(ContentWorld& world) {
  const std::string addressee = AddresseeOf(world.content);
  const auto own = caches_.leases.Lookup(kByHolder, addressee);
  if (own.empty()) {
    agents_.Forget(addressee);
  } else {
    world.agent = Look(own.front());
  }
  if (!world.content.deleting || world.agent.kind == AgentSight::Kind::kAlive) {
    return;
  }
  for (const auto& lease : caches_.leases.List()) {
    const std::string node = lease.get<"spec.holderIdentity">().value_or("");
    if (!node.empty() && NodeLabelValue(node) != addressee &&
        Look(lease).kind == AgentSight::Kind::kAlive) {
      world.other_agent = node;
      return;
    }
  }
}

AgentSight ContentReconciler::Look(const controller::Snapshot<LeaseFields>& lease) {
  const auto lasts =
      std::chrono::seconds(lease.get<"spec.leaseDurationSeconds">().value_or(kAgentLeaseSeconds));
  return agents_.Look(NodeLabelValue(lease.get<"spec.holderIdentity">().value_or("")),
                      lease.get<"spec.renewTime">().value_or(""), lasts, clock_.Now());
}

bool ContentReconciler::IsShared(const ContentFacts& content) const {
  const std::string key = ArtifactKey(content.artifact.checkpoint_id, content.artifact.version);
  if (key.empty()) {
    return false;
  }
  const auto same = caches_.contents.Lookup(kByArtifact, key);
  return std::any_of(same.begin(), same.end(), [&](const Cached& other) {
    return other->name() != content.name && !other->deleting();
  });
}

Result<bool> ContentReconciler::MakeCertain(Pass& pass, ContentWorld& world,
                                            ContentDoubt doubt) const {
  const auto& reference = world.content.spec.snapshot;
  const bool of_snapshot = doubt == ContentDoubt::kSnapshot;
  const auto found =
      of_snapshot
          ? pass.client().Get(PodSnapshots(), {reference.name_space, reference.name}, pass.limit())
          : pass.client().Get(kube::types::Nodes(), {"", world.content.spec.source.node_name},
                              pass.limit());
  bool gone = found.status().reason() == kube::reason::kNotFound;
  if (!gone) {
    RETURN_IF_ERROR(found);
    gone = of_snapshot && found->meta().uid() != reference.uid;
  }
  world.snapshot_is_certain |= of_snapshot && gone;
  world.node_is_certain |= !of_snapshot && gone;
  return gone;
}

Result<Outcome> ContentReconciler::Execute(Pass& pass, const Cached& content,
                                           const ContentWorld& world, const ContentPlan& plan) {
  switch (plan.step) {
    case Step::kNothing:
    case Step::kWait:
      break;
    case Step::kDropFinalizer:
      RETURN_IF_ERROR(DropFinalizer(pass, content, plan));
      break;
    case Step::kAddFinalizer:
      RETURN_IF_ERROR(pass.AddFinalizer(PodSnapshotContents(), *content, kArtifactFinalizer));
      break;
    case Step::kReassign:
      RETURN_IF_ERROR(Annotate(
          pass, content,
          Value::Object({{"labels", Value::Object({{std::string(kNodeLabel),
                                                    NodeLabelValue(world.other_agent)}})}})));
      pass.log().Info("deletion of an artifact handed on", {{"to", world.other_agent}});
      break;
    case Step::kTakePolicy:
      RETURN_IF_ERROR(Annotate(
          pass, content,
          Value::Object({{"annotations", Value::Object({{std::string(kDeletionPolicyAnnotation),
                                                         PolicyName(world.snapshot->policy)}})}})));
      break;
    case Step::kDelete:
      RETURN_IF_ERROR(pass.Delete(PodSnapshotContents(), *content));
      pass.Event(PodSnapshotContents(), *content, EventType::kNormal, plan.reason, plan.message);
      break;
    case Step::kFail:
      RETURN_IF_ERROR(Fail(pass, content, plan));
      break;
  }
  return plan.look_again.has_value() ? Outcome::After(*plan.look_again) : Outcome::Done();
}

Status ContentReconciler::DropFinalizer(Pass& pass, const Cached& content,
                                        const ContentPlan& plan) {
  RETURN_IF_ERROR(pass.RemoveFinalizer(PodSnapshotContents(), *content, kArtifactFinalizer));
  if (!plan.reason.empty()) {
    pass.Event(PodSnapshotContents(), *content, EventType::kWarning, plan.reason, plan.message);
    pass.log().Warning("an artifact stays in the store", {{"cause", plan.message}});
  }
  if (!ResultOf(plan.state).empty()) {
    metrics_.ArtifactLeft(ResultOf(plan.state));
  }
  return {};
}

Status ContentReconciler::Annotate(Pass& pass, const Cached& content, Value metadata) const {
  metadata.Set("uid", content->uid());
  metadata.Set("resourceVersion", std::to_string(content->resource_version()));
  const json::Blob body = Value::Object({{"metadata", std::move(metadata)}}).ToBlob();
  ASSIGN_OR_RETURN(const kube::Object patched,
                   pass.client().Patch(PodSnapshotContents(), content->key(),
                                       kube::PatchType::kMerge, body.view(), pass.limit()));
  pass.Wrote(PodSnapshotContents(), patched);
  return {};
}

// The agent writes this status, too: whoever comes second must read again.
Status ContentReconciler::Fail(Pass& pass, const Cached& content, const ContentPlan& plan) const {
  Value status = Value(content->view()["status"]);
  status["conditions"] = controller::SetCondition(
      content->view()["status"]["conditions"],
      {std::string(kFailedCondition), "True", plan.reason, plan.message, content->generation()},
      json::Time{clock_.WallNow()});
  Value object = Value::Object({{"status", std::move(status)}});
  object["metadata"].Set("resourceVersion", std::to_string(content->resource_version()));
  const json::Blob body = object.ToBlob();
  ASSIGN_OR_RETURN(
      const kube::Object patched,
      pass.client().Patch(PodSnapshotContents(), content->key(), kube::PatchType::kMerge,
                          body.view(), pass.limit(), {.subresource = "status"}));
  pass.Wrote(PodSnapshotContents(), patched);
  pass.Event(PodSnapshotContents(), *content, EventType::kWarning, plan.reason, plan.message);
  return {};
}

}  // namespace hearth::snapshot
