#include "snapshot/operator/snapshot_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/duration.h"
#include "json/time.h"
#include "kube/model/object.h"
#include "snapshot/operator/resources.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {
namespace {

using State = SnapshotState;
using Step = SnapshotStep;

constexpr std::string_view kWaitingMessage = "Waiting for node agent to capture the checkpoint";

// What was found: a state, and what is to be told about it.
SnapshotPlan In(State state, std::string message = "") {
  SnapshotPlan plan;
  plan.state = state;
  plan.message = std::move(message);
  return plan;
}

SnapshotPlan About(State state, const ContentFacts& content, std::string message = "") {
  SnapshotPlan plan = In(state, std::move(message));
  plan.content = &content;
  return plan;
}

SnapshotPlan Unless(bool certain, Doubt doubt, SnapshotPlan plan) {
  plan.doubt = certain ? Doubt::kNone : doubt;
  return plan;
}

// The object of a content that an administrator made is kept with its artifact.
bool GoesWithSnapshot(const ContentFacts& content, const SnapshotFacts& snapshot) {
  return BelongsTo(content, snapshot) &&
         (!content.pre_provisioned() || content.policy == DeletionPolicy::kDelete);
}

// What the snapshot says of its artifact must stand in the content before that goes: later nobody
// could put a finalizer on it.
bool PolicySettled(const ContentFacts& content, const SnapshotFacts& snapshot) {
  return content.pre_provisioned() || (content.policy == snapshot.policy &&
                                       content.held == (content.policy == DeletionPolicy::kDelete));
}

SnapshotPlan WithContent(const ContentFacts& content, const SnapshotFacts& snapshot) {
  if (content.deleting) {
    return About(State::kDeletedContentLeaves, content);
  }
  return About(PolicySettled(content, snapshot) ? State::kDeletedWithContent
                                                : State::kDeletedPolicyUnsettled,
               content);
}

SnapshotPlan Deleted(const SnapshotWorld& world) {
  const SnapshotFacts& snapshot = world.snapshot;
  if (!snapshot.held) {
    return In(State::kDeletedUnheld);
  }
  // Also a content that nobody wrote down: whoever made it may have died before.
  if (world.content.has_value() && GoesWithSnapshot(*world.content, snapshot)) {
    return WithContent(*world.content, snapshot);
  }
  return Unless(world.content_is_certain || world.content.has_value(), Doubt::kContent,
                In(State::kDeletedAlone));
}

std::string WhoseIs(const ContentFacts& content) {
  const auto& reference = content.spec.snapshot;
  return fmt::format("{}/{} (uid {})", reference.name_space, reference.name,
                     reference.uid.empty() ? "any" : reference.uid);
}

SnapshotPlan Foreign(State state, const ContentFacts& content) {
  return About(state, content,
               fmt::format("PodSnapshotContent \"{}\" belongs to PodSnapshot {}; delete it, or "
                           "create the PodSnapshot anew",
                           content.name, WhoseIs(content)));
}

SnapshotPlan Bound(const SnapshotWorld& world) {
  const std::string& name = world.snapshot.bound;
  if (!world.content.has_value()) {
    return Unless(
        world.content_is_certain, Doubt::kContent,
        In(State::kBoundLost,
           fmt::format("PodSnapshotContent \"{}\" is gone; create the PodSnapshot anew", name)));
  }
  if (!BelongsTo(*world.content, world.snapshot)) {
    return Foreign(State::kBoundForeign, *world.content);
  }
  if (world.content->deleting) {
    return In(State::kBoundLost,
              fmt::format("PodSnapshotContent \"{}\" is being deleted; create the PodSnapshot anew",
                          name));
  }
  return About(State::kBound, *world.content);
}

// Whether a content of an administrator holds what the snapshot wants.
bool Fits(const ContentFacts& content, const SnapshotFacts& snapshot) {
  const auto& have = content.spec.source.pod;
  const auto& want = snapshot.pod;
  return have.name == want.name && (have.uid.empty() || want.uid.empty() || have.uid == want.uid) &&
         (have.containers.empty() || want.containers.empty() || have.containers == want.containers);
}

SnapshotPlan Provided(const SnapshotWorld& world) {
  const ContentFacts& content = world.provided.front();
  if (world.provided.size() > 1) {
    return About(State::kContentForeign, content,
                 fmt::format("PodSnapshotContents \"{}\" and \"{}\" both name this PodSnapshot; "
                             "delete one of them and create the PodSnapshot anew",
                             content.name, world.provided[1].name));
  }
  if (!Fits(content, world.snapshot)) {
    return About(
        State::kContentForeign, content,
        fmt::format("PodSnapshotContent \"{}\" names this PodSnapshot but holds pod \"{}\"",
                    content.name, content.spec.source.pod.name));
  }
  return About(State::kContentFound, content);
}

SnapshotPlan OfPod(const SnapshotWorld& world) {
  const api::snapshot::PodReference& wanted = world.snapshot.pod;
  if (!world.pod.has_value()) {
    return Unless(
        world.pod_is_certain, Doubt::kPod,
        In(State::kPodMissing, fmt::format("source pod \"{}\" no longer exists", wanted.name)));
  }
  if (!wanted.uid.empty() && wanted.uid != world.pod->uid) {
    return Unless(world.pod_is_certain, Doubt::kPod,
                  In(State::kPodStale, fmt::format("source pod \"{}\" has uid {}, not {}: another "
                                                   "pod of that name took its place",
                                                   wanted.name, world.pod->uid, wanted.uid)));
  }
  if (world.pod->node.empty()) {
    return In(State::kPodUnscheduled,
              fmt::format("source pod \"{}\" has no node yet", wanted.name));
  }
  return In(State::kPodScheduled);
}

SnapshotPlan Unbound(const SnapshotWorld& world) {
  const SnapshotFacts& snapshot = world.snapshot;
  if (world.content.has_value()) {
    return BelongsTo(*world.content, snapshot) ? About(State::kContentFound, *world.content)
                                               : Foreign(State::kContentForeign, *world.content);
  }
  if (!world.provided.empty()) {
    return Provided(world);
  }
  if (!snapshot.deadline.ok()) {
    return In(State::kDeadlineMalformed, fmt::format("annotation {}: {}", kDeadlineAnnotation,
                                                     snapshot.deadline.status().message()));
  }
  const std::optional<WallTime> deadline = CaptureDeadline(snapshot, world.deadline);
  if (deadline.has_value() && *deadline <= world.now) {
    return In(State::kOverdue,
              fmt::format("source pod \"{}\" could not be captured in time", snapshot.pod.name));
  }
  SnapshotPlan plan = OfPod(world);
  if (plan.state == State::kPodUnscheduled && deadline.has_value()) {
    plan.look_again = *deadline - world.now;
  }
  return plan;
}

SnapshotPlan Find(const SnapshotWorld& world) {
  if (world.snapshot.deleting) {
    return Deleted(world);
  }
  if (!world.snapshot.held) {
    return In(State::kNew);
  }
  if (world.snapshot.failed) {
    return In(State::kFailed);
  }
  return world.snapshot.bound.empty() ? Unbound(world) : Bound(world);
}

const SnapshotRow& RowOf(State state) {
  const auto& table = SnapshotTable();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const SnapshotRow& each) { return each.state == state; });
  CHECK(row != table.end());
  return *row;
}

json::Value Conditions(const SnapshotWorld& world, std::string_view ready, std::string_view failed,
                       const std::string& reason, const std::string& message) {
  const json::Time now{world.now};
  const int64_t generation = world.snapshot.generation;
  json::Value conditions = controller::SetCondition(
      world.snapshot.conditions,
      {std::string(kReadyCondition), std::string(ready), reason, message, generation}, now);
  if (failed.empty()) {
    return conditions;
  }
  return controller::SetCondition(
      std::move(conditions),
      {std::string(kFailedCondition), std::string(failed), reason, message, generation}, now);
}

json::Value Mirrored(const SnapshotWorld& world, const ContentFacts& content) {
  if (content.is_ready()) {
    return Conditions(world, "True", "False", content.ready->reason, content.ready->message);
  }
  if (content.is_failed()) {
    return Conditions(world, "False", "True", content.failed->reason, content.failed->message);
  }
  return Conditions(world, "False", "", std::string(reason::kPending),
                    std::string(kWaitingMessage));
}

}  // namespace

const std::vector<SnapshotRow>& SnapshotTable() {
  static const std::vector<SnapshotRow> kTable = {
      {State::kDeletedUnheld, "DeletedUnheld", Step::kNothing, "nothing", ""},
      {State::kDeletedPolicyUnsettled, "DeletedPolicyUnsettled", Step::kWait, "wait", ""},
      {State::kDeletedWithContent, "DeletedWithContent", Step::kDeleteContent, "delete content",
       ""},
      {State::kDeletedContentLeaves, "DeletedContentLeaves", Step::kWait, "wait", ""},
      {State::kDeletedAlone, "DeletedAlone", Step::kDropFinalizer, "drop finalizer", ""},
      {State::kNew, "New", Step::kAddFinalizer, "add finalizer", ""},
      {State::kFailed, "Failed", Step::kNothing, "nothing", ""},
      {State::kBound, "Bound", Step::kMirror, "mirror", ""},
      {State::kBoundForeign, "BoundForeign", Step::kRefuse, "refuse", reason::kContentConflict},
      {State::kBoundLost, "BoundLost", Step::kRefuse, "refuse", reason::kContentLost},
      {State::kContentFound, "ContentFound", Step::kBind, "bind", ""},
      {State::kContentForeign, "ContentForeign", Step::kRefuse, "refuse", reason::kContentConflict},
      {State::kDeadlineMalformed, "DeadlineMalformed", Step::kRefuse, "refuse",
       reason::kInvalidDeadline},
      {State::kOverdue, "Overdue", Step::kRefuse, "refuse", reason::kDeadlineExceeded},
      {State::kPodMissing, "PodMissing", Step::kRefuse, "refuse", reason::kSourcePodNotFound},
      {State::kPodStale, "PodStale", Step::kRefuse, "refuse", reason::kStalePodReference},
      {State::kPodUnscheduled, "PodUnscheduled", Step::kWait, "wait", ""},
      {State::kPodScheduled, "PodScheduled", Step::kCreateContent, "create content", ""},
  };
  return kTable;
}

SnapshotPlan PlanSnapshot(const SnapshotWorld& world) {
  SnapshotPlan plan = Find(world);
  const SnapshotRow& row = RowOf(plan.state);
  plan.step = row.step;
  plan.reason = row.reason;
  return plan;
}

std::optional<WallTime> CaptureDeadline(const SnapshotFacts& snapshot, Duration deadline) {
  if (snapshot.deadline.ok() && snapshot.deadline->has_value()) {
    deadline = **snapshot.deadline;
  }
  return deadline > Duration::zero() && snapshot.created.has_value()
             ? std::optional(*snapshot.created + deadline)
             : std::nullopt;
}

json::Value RenderContent(const SnapshotFacts& snapshot, const PodFacts& pod) {
  json::Value content = kube::NewObject(PodSnapshotContents(), {"", ContentNameOf(snapshot.uid)});
  json::Value& metadata = content["metadata"];
  metadata["labels"][kNodeLabel] = NodeLabelValue(pod.node);
  if (snapshot.policy == DeletionPolicy::kDelete) {
    // From the beginning: what is captured before anybody looks again is known to be deleted.
    metadata["annotations"][kDeletionPolicyAnnotation] = kDeleteArtifact;
    metadata.Set("finalizers", json::Value::Array({json::Value(kArtifactFinalizer)}));
  }
  api::snapshot::PodSnapshotContentSpec spec;
  spec.snapshot = {snapshot.name_space, snapshot.name, snapshot.uid};
  spec.source = {{snapshot.pod.name, pod.uid, snapshot.pod.containers}, pod.node};
  content.Set("spec", api::Encoded(spec));
  return content;
}

json::Value RenderStatus(const SnapshotWorld& world, const SnapshotPlan& plan) {
  std::string bound = world.snapshot.bound;
  json::Value conditions = world.snapshot.conditions;
  if (plan.step == Step::kRefuse) {
    conditions = Conditions(world, "False", "True", plan.reason, plan.message);
  } else if (plan.step == Step::kMirror) {
    conditions = Mirrored(world, *plan.content);
  } else {
    bound = plan.content != nullptr ? plan.content->name : ContentNameOf(world.snapshot.uid);
  }
  json::Value status = json::Value::Object();
  if (!bound.empty()) {
    status.Set("boundSnapshotContentName", bound);
  }
  if (conditions.IsArray()) {
    status.Set("conditions", std::move(conditions));
  }
  return status;
}

}  // namespace hearth::snapshot
