#include "dynamo/operator/graph_work.h"

#include <algorithm>
#include <utility>

#include "api/dynamo/constants.h"
#include "controller/side_by_side.h"
#include "kube/model/api_status.h"

namespace hearth::dynamo {
namespace {

// Who may have made children before us.
constexpr std::string_view kFormerManagers[] = {"manager", "dynamo-operator"};

// The caches will show what the others did, and that wakes us.
bool IsRace(const Status& status) {
  return status.reason() == kube::reason::kConflict ||
         status.reason() == kube::reason::kAlreadyExists;
}

bool IsFinal(const Status& status) {
  return status.Is(Code::kInvalid) || status.Is(Code::kUnsupported);
}

}  // namespace

void GraphWork::Fail(const Status& failure) {
  if (failure.ok()) {
    return;
  }
  if (!IsRace(failure)) {
    failures.emplace_back(failure.message());
  }
  if (again.ok() && !IsFinal(failure)) {
    again = failure;
  }
}

kube::OwnerReference OwnerOf(const GraphWork& work) {
  return {.api_version = "nvidia.com/v1beta1",
          .kind = "DynamoGraphDeployment",
          .name = work.graph.name,
          .uid = work.uid(),
          .controller = true,
          .block_owner_deletion = true};
}

void Children::Want(const kube::ResourceType& type, json::Value desired,
                    std::optional<controller::ObjectPtr> cached, controller::Birth birth) {
  desired["metadata"].Set("ownerReferences", json::Value::Array({OwnerOf(work_).ToValue()}));
  const bool changed = work_.before.observed_generation != work_.cached->generation();
  Do([this, &type, desired = std::move(desired), cached = std::move(cached), birth, changed] {
    return ToStatus(controller::EnsureChild(work_.pass,
                                            {.type = type,
                                             .desired = desired,
                                             .cached = cached ? cached->get() : nullptr,
                                             .birth = birth,
                                             .changed = changed,
                                             .former_managers = kFormerManagers},
                                            work_.uid()));
  });
}

void Children::Remove(const kube::ResourceType& type, controller::ObjectPtr cached) {
  Do([this, &type, cached = std::move(cached)] {
    return ToStatus(work_.pass.Delete(type, *cached, {.propagation = "Background"}));
  });
}

void Children::Send() {
  std::vector<Status> outcomes(wishes_.size());
  controller::SideBySide(wishes_.size(), [&](size_t i) { outcomes[i] = wishes_[i](); });
  wishes_.clear();
  for (const Status& outcome : outcomes) {
    work_.Fail(outcome);
  }
}

bool UsesGrove(const GraphWork& work) {
  return work.options.features.grove && work.graph.Annotation(api::dynamo::kEnableGrove) != "false";
}

}  // namespace hearth::dynamo
