#include "snapshot/ctl/internal/checkpoint_run.h"

#include <fmt/format.h>

#include "snapshot/ctl/internal/pod_manifest.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/shaping.h"

namespace hearth::snapshot::ctl {
namespace {

using json::Value;
using kube::Object;

constexpr Duration kCleanUpLimit = std::chrono::seconds(30);
constexpr std::string_view kJobNameLabel = "batch.kubernetes.io/job-name";

// The condition of a type; absent view when there is none.
json::View ConditionOf(const Object& object, std::string_view type) {
  for (const json::View condition : object["status"]["conditions"].items()) {
    if (condition["type"].StringOr("") == type) {
      return condition;
    }
  }
  return {};
}
bool IsTrue(json::View condition) { return condition["status"].StringOr("") == "True"; }

class CheckpointRun {
 public:
  CheckpointRun(Cluster& cluster, const CheckpointOrder& order, const Tell& tell,
                const WaitLimit& limit)
      : cluster_(cluster),
        order_(order),
        tell_(tell),
        limit_(limit),
        job_name_(order.pod.FindPath("metadata.name")->StringOr("") + "-checkpoint") {}

  Result<CheckpointResult> Run() {
    RETURN_IF_ERROR(CreateJob());
    Result<CheckpointResult> result = Capture();
    if (!result.ok()) {
      DeleteJob();
    }
    return result;
  }

 private:
  Status CreateJob() {
    Value pod_template = Value::Object();
    for (const std::string_view field : {"labels", "annotations"}) {
      if (const Value* const value = order_.pod.Find("metadata")->Find(field); value != nullptr) {
        pod_template["metadata"].Set(field, *value);
      }
    }
    pod_template.Set("spec", *order_.pod.Find("spec"));
    ASSIGN_OR_RETURN(const Value job,
                     CaptureJob(pod_template, {.name = job_name_,
                                               .namespace_name = order_.name_space,
                                               .target_container = order_.target,
                                               .checkpoint_id = order_.checkpoint_id,
                                               .artifact_version = "1",
                                               .seccomp_profile = std::string(kSeccompProfile),
                                               .active_deadline_seconds = {},
                                               .ttl_seconds_after_finished = {},
                                               .wrap_cuda_launch_job = order_.wrap_cuda}));
    const json::Blob body = job.ToBlob();
    const auto made = cluster_.client().Create(Jobs(), order_.name_space, body.view(), limit_);
    if (made.status().Is(Code::kAlreadyExists)) {
      return AlreadyExistsError(fmt::format(
          "checkpoint job {}/{} already exists: delete it, or capture under another pod name",
          order_.name_space, job_name_));
    }
    RETURN_IF_ERROR(made);
    job_uid_ = made->meta().uid();
    tell_(fmt::format("job {}/{} is made; waiting for its pod to be on a node", order_.name_space,
                      job_name_));
    return Status::Ok();
  }

  Result<CheckpointResult> Capture() {
    ASSIGN_OR_RETURN(const Object pod, AwaitPod());
    ASSIGN_OR_RETURN(const std::string snapshot, CreateSnapshot(pod));
    return AwaitSnapshot(snapshot);
  }

  Result<Object> AwaitPod() {
    Object found;
    std::string unscheduled;
    const Status waited = cluster_.Await(
        kube::types::Pods(), order_.name_space,
        {.label_selector = fmt::format("{}={}", kJobNameLabel, job_name_)}, Cluster::IfNone::kWait,
        limit_.AtMost(RealClock(), order_.pod_timeout), [&](const Object& pod) -> Result<bool> {
          const auto owner = pod.meta().controller();
          if (!owner || owner->uid != job_uid_) {
            return false;  // of an earlier job of the name
          }
          found = pod;
          unscheduled = pod.meta().name();
          return !pod["spec"]["nodeName"].StringOr("").empty();
        });
    if (waited.Is(Code::kDeadlineExceeded)) {
      return DeadlineError(
          fmt::format("{} of job {}/{} in time: kubectl -n {} describe job {} says why",
                      unscheduled.empty() ? "there was no pod"
                                          : fmt::format("pod {} was put on no node", unscheduled),
                      order_.name_space, job_name_, order_.name_space, job_name_));
    }
    RETURN_IF_ERROR(waited.WithContext(fmt::format("waiting for the pod of job {}", job_name_)));
    tell_(fmt::format("pod {} is on node {}", found.meta().name(),
                      found["spec"]["nodeName"].StringOr("")));
    return found;
  }

  Result<std::string> CreateSnapshot(const Object& pod) {
    const std::string name = PodSnapshotName(job_name_);
    Value snapshot = kube::NewObject(PodSnapshots(), {order_.name_space, name});
    snapshot["metadata"]["labels"].Set(kCheckpointIdLabel, order_.checkpoint_id);
    snapshot.MakePath("spec.source.podRef") =
        Value::Object({{"name", pod.meta().name()},
                       {"uid", pod.meta().uid()},
                       {"containers", Value::Array({Value(order_.target)})}});
    const json::Blob body = snapshot.ToBlob();
    const auto made =
        cluster_.client().Create(PodSnapshots(), order_.name_space, body.view(), limit_);
    if (made.status().Is(Code::kAlreadyExists)) {
      return AlreadyExistsError(
          fmt::format("PodSnapshot {}/{} already exists: delete it to capture again under its name",
                      order_.name_space, name));
    }
    if (made.status().Is(Code::kPermissionDenied)) {
      return made.status().WithContext(fmt::format(
          "not allowed to create PodSnapshot {}/{}: a role with create, get, list and watch on "
          "podsnapshots.nvidia.com is needed there",
          order_.name_space, name));
    }
    RETURN_IF_ERROR(made);
    tell_(fmt::format("PodSnapshot {}/{} is made; waiting for it", order_.name_space, name));
    return name;
  }

  Result<CheckpointResult> AwaitSnapshot(const std::string& name) {
    CheckpointResult result{.job = job_name_, .pod_snapshot = name, .content = ""};
    std::string last = "nothing was said about it";
    const Status waited = cluster_.Await(
        PodSnapshots(), order_.name_space, {.field_selector = "metadata.name=" + name},
        Cluster::IfNone::kFail, limit_, [&](const Object& snapshot) -> Result<bool> {
          result.content = snapshot["status"]["boundSnapshotContentName"].StringOr("");
          TellChange(ConditionOf(snapshot, "Ready"), last);
          if (const json::View failed = ConditionOf(snapshot, "Failed"); IsTrue(failed)) {
            return Status(Code::kInternal, failed["reason"].StringOr(""),
                          fmt::format("PodSnapshot {}/{} failed: {}: {}", order_.name_space, name,
                                      failed["reason"].StringOr("no reason"),
                                      failed["message"].StringOr("no message")));
          }
          return IsTrue(ConditionOf(snapshot, "Ready"));
        });
    if (waited.Is(Code::kDeadlineExceeded)) {
      return DeadlineError(fmt::format(
          "PodSnapshot {}/{} was not ready in time ({}): --timeout waits longer; kubectl -n {} "
          "describe podsnapshot {} says how far it is",
          order_.name_space, name, last, order_.name_space, name));
    }
    if (waited.Is(Code::kNotFound)) {
      return NotFoundError(fmt::format("PodSnapshot {}/{} was deleted meanwhile: capture again",
                                       order_.name_space, name));
    }
    RETURN_IF_ERROR(waited);
    return result;
  }

  // A line when the words of the condition are others than before.
  void TellChange(json::View ready, std::string& last) const {
    const std::string now =
        fmt::format("{}: {}", ready["reason"].StringOr("Pending"), ready["message"].StringOr(""));
    if (!ready["reason"].StringOr("").empty() && now != last) {
      last = now;
      tell_(now);
    }
  }

  // With its pod, which by the server's default would stay; and in spite of a limit that is over.
  void DeleteJob() const {
    const auto deleted = cluster_.client().Delete(Jobs(), {order_.name_space, job_name_},
                                                  WaitLimit::For(RealClock(), kCleanUpLimit),
                                                  {.propagation = "Background", .uid = job_uid_});
    if (!deleted.ok() && !deleted.status().Is(Code::kNotFound)) {
      tell_(fmt::format("job {}/{} could not be deleted and goes on: {}", order_.name_space,
                        job_name_, deleted.status().message()));
      return;
    }
    tell_(fmt::format("job {}/{} is deleted, and its pod with it", order_.name_space, job_name_));
  }

  Cluster& cluster_;
  const CheckpointOrder& order_;
  const Tell& tell_;
  const WaitLimit& limit_;
  std::string job_name_;
  std::string job_uid_;
};

}  // namespace

Result<CheckpointResult> RunCheckpoint(Cluster& cluster, const CheckpointOrder& order,
                                       const Tell& tell, const WaitLimit& limit) {
  return CheckpointRun(cluster, order, tell, limit).Run();
}

}  // namespace hearth::snapshot::ctl
