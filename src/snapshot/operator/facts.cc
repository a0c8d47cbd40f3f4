#include "snapshot/operator/facts.h"

#include "base/duration.h"
#include "json/time.h"
#include "kube/model/object.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

using json::View;

// What cannot be read stays as it is without; the schema keeps such objects away.
template <typename T>
T Decoded(View view) {
  auto decoded = api::DecodeAs<T>(view);
  return decoded.ok() ? *std::move(decoded) : T();
}

std::optional<WallTime> TimeOf(View view) {
  const auto time = json::Time::Parse(view.StringOr(""));
  return time.ok() ? std::optional(time->at) : std::nullopt;
}

DeletionPolicy PolicyOf(View annotations) {
  return annotations[kDeletionPolicyAnnotation].Equals(kDeleteArtifact) ? DeletionPolicy::kDelete
                                                                        : DeletionPolicy::kRetain;
}

std::string UnknownPolicy(View annotations) {
  const std::string text = annotations[kDeletionPolicyAnnotation].StringOr("");
  return text == kDeleteArtifact || text == kRetainArtifact ? "" : text;
}

Result<std::optional<Duration>> DeadlineOf(View annotations) {
  const std::string text = annotations[kDeadlineAnnotation].StringOr("");
  if (text.empty()) {
    return std::optional<Duration>();
  }
  ASSIGN_OR_RETURN(const Duration deadline, ParseDuration(text));
  if (deadline < Duration::zero()) {
    return InvalidError("a deadline cannot lie before the beginning: " + text);
  }
  return std::optional(deadline);
}

}  // namespace

std::string_view PolicyName(DeletionPolicy policy) {
  return policy == DeletionPolicy::kDelete ? kDeleteArtifact : kRetainArtifact;
}

SnapshotFacts SnapshotFacts::From(const controller::CachedObject& object) {
  const View view = object.view();
  const View annotations = view["metadata"]["annotations"];
  SnapshotFacts facts;
  facts.name_space = object.name_space();
  facts.name = object.name();
  facts.uid = object.uid();
  facts.generation = object.generation();
  facts.deleting = object.deleting();
  facts.held = kube::Meta(view).HasFinalizer(kSnapshotFinalizer);
  facts.pod = Decoded<api::snapshot::PodReference>(view["spec"]["source"]["podRef"]);
  facts.bound = view["status"]["boundSnapshotContentName"].StringOr("");
  facts.failed = controller::IsTrue(view["status"]["conditions"], kFailedCondition);
  facts.policy = PolicyOf(annotations);
  facts.unknown_policy = UnknownPolicy(annotations);
  facts.deadline = DeadlineOf(annotations);
  facts.created = TimeOf(view["metadata"]["creationTimestamp"]);
  facts.conditions = json::Value(view["status"]["conditions"]);
  return facts;
}

ContentFacts ContentFacts::From(const controller::CachedObject& object) {
  const View view = object.view();
  const View conditions = view["status"]["conditions"];
  ContentFacts facts;
  facts.name = object.name();
  facts.uid = object.uid();
  facts.deleting = object.deleting();
  facts.held = kube::Meta(view).HasFinalizer(kArtifactFinalizer);
  facts.spec = Decoded<api::snapshot::PodSnapshotContentSpec>(view["spec"]);
  facts.artifact =
      Decoded<api::snapshot::PodSnapshotContentStatus::Artifact>(view["status"]["artifact"]);
  facts.ready = controller::FindCondition(conditions, kReadyCondition);
  facts.failed = controller::FindCondition(conditions, kFailedCondition);
  facts.artifact_deleted = controller::FindCondition(conditions, kArtifactDeletedCondition);
  facts.policy = PolicyOf(view["metadata"]["annotations"]);
  facts.addressee = view["metadata"]["labels"][kNodeLabel].StringOr("");
  facts.created = TimeOf(view["metadata"]["creationTimestamp"]);
  facts.deletion_asked = TimeOf(view["metadata"]["deletionTimestamp"]);
  return facts;
}

bool BelongsTo(const ContentFacts& content, const SnapshotFacts& snapshot) {
  const auto& reference = content.spec.snapshot;
  return reference.name_space == snapshot.name_space && reference.name == snapshot.name &&
         (reference.uid.empty() || reference.uid == snapshot.uid);
}

}  // namespace hearth::snapshot
