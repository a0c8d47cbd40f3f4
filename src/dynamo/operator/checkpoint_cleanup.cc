#include "dynamo/operator/checkpoint_cleanup.h"

#include <fmt/format.h>

#include <string>

#include "controller/conditions.h"
#include "dynamo/model/labels.h"
#include "dynamo/operator/checkpoint_storage.h"
#include "kube/model/object.h"
#include "pods/lists.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

using controller::EventType;
using controller::Outcome;
using controller::Pass;
using json::Value;

// How often the Job was tried, on the checkpoint.
constexpr std::string_view kAttempts = "hearth.dev/cleanup-attempts";
constexpr int64_t kMostAttempts = 3;

Result<bool> NamespaceEnds(Pass& pass, const std::string& name_space) {
  ASSIGN_OR_RETURN(const auto found,
                   pass.client().Get(kube::types::Namespaces(), {"", name_space}, pass.limit()));
  return found.meta().deleting();
}

int64_t AttemptsOf(const controller::CachedObject& cached) {
  const std::string text = cached.view()["metadata"]["annotations"][kAttempts].StringOr("0");
  return text.size() == 1 && text[0] >= '0' && text[0] <= '9' ? text[0] - '0' : kMostAttempts;
}

class CleaningUp {
 public:
  CleaningUp(Pass& pass, const controller::CachedObject& cached, const CheckpointFacts& checkpoint,
             const CleanUpOptions& options)
      : pass_(pass), cached_(cached), checkpoint_(checkpoint), options_(options) {}

  Result<Outcome> Run(const controller::Cached<JobFields>& jobs) {
    if (!checkpoint_.held) {
      return Outcome::Done();
    }
    ASSIGN_OR_RETURN(const bool ends, NamespaceEnds(pass_, checkpoint_.name_space));
    if (ends) {
      return LeaveBehind("the namespace is being deleted, too");
    }
    const auto job = jobs.Get({checkpoint_.name_space, CleanupJobName(checkpoint_)});
    if (!job) {
      return Begin();
    }
    const auto controller = kube::Meta((*job)->view()).controller();
    if (!controller || controller->uid != checkpoint_.uid) {
      return LeaveBehind(fmt::format("Job {} belongs to somebody else", (*job)->name()));
    }
    const json::View conditions = (*job)->view()["status"]["conditions"];
    if (controller::IsTrue(conditions, "Complete")) {
      RETURN_IF_ERROR(Delete(**job));
      return LetGo();
    }
    if (controller::IsTrue(conditions, "Failed")) {
      return Again(**job);
    }
    return Outcome::Done();  // its end wakes us
  }

 private:
  Result<Outcome> Begin() {
    const auto storage =
        FindStorage(pass_.client(), pass_.limit(), options_.storage, checkpoint_.name_space);
    if (storage.status().Is(Code::kNotFound)) {
      return LeaveBehind(std::string(storage.status().message()));
    }
    RETURN_IF_ERROR(storage);
    const auto claim = pass_.client().Get(
        VolumeClaims(), {checkpoint_.name_space, storage->pvc_name}, pass_.limit());
    if (claim.status().Is(Code::kNotFound)) {
      return LeaveBehind(fmt::format("PersistentVolumeClaim {} is gone", storage->pvc_name));
    }
    RETURN_IF_ERROR(claim);
    auto job = RenderCleanupJob(checkpoint_, *storage, options_.job);
    if (!job.ok()) {
      return LeaveBehind(std::string(job.status().message()));
    }
    const kube::OwnerReference owner{.api_version = "nvidia.com/v1alpha1",
                                     .kind = "DynamoCheckpoint",
                                     .name = checkpoint_.name,
                                     .uid = checkpoint_.uid,
                                     .controller = true};
    (*job)["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    RETURN_IF_ERROR(pass_.Create(Jobs(), *job));
    return Outcome::Done();
  }

  Result<Outcome> Again(const controller::CachedObject& job) {
    const int64_t attempts = AttemptsOf(cached_) + 1;
    if (attempts >= kMostAttempts) {
      return LeaveBehind(fmt::format("Job {} failed {} times", job.name(), attempts));
    }
    Value patch;
    patch.MakePath("metadata.annotations").Set(kAttempts, std::to_string(attempts));
    RETURN_IF_ERROR(pass_.Patch(Checkpoints(), cached_, std::move(patch)));
    RETURN_IF_ERROR(Delete(job));
    return Outcome::Done();
  }

  Status Delete(const controller::CachedObject& job) {
    return ToStatus(pass_.Delete(Jobs(), job, {.propagation = "Background"}));
  }

  Result<Outcome> LeaveBehind(const std::string& why) {
    pass_.Event(
        Checkpoints(), cached_, EventType::kWarning, "ArtifactsLeftBehind",
        fmt::format("artifacts of checkpoint {} were not removed: {}", checkpoint_.Id(), why));
    return LetGo();
  }

  Result<Outcome> LetGo() {
    RETURN_IF_ERROR(pass_.RemoveFinalizer(Checkpoints(), cached_, kFinalizer));
    return Outcome::Done();
  }

  Pass& pass_;
  const controller::CachedObject& cached_;
  const CheckpointFacts& checkpoint_;
  const CleanUpOptions& options_;
};

}  // namespace

Result<Outcome> CleanUp(Pass& pass, const controller::CachedObject& cached,
                        const CheckpointFacts& checkpoint,
                        const controller::Cached<JobFields>& jobs, const CleanUpOptions& options) {
  return CleaningUp(pass, cached, checkpoint, options).Run(jobs);
}

}  // namespace hearth::dynamo
