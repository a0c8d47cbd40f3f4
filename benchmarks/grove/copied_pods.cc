#include "copied_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "manifests.h"
#include "parallel.h"

namespace hearth::bench {
namespace {

constexpr size_t kCreators = 16;

}  // namespace

Result<CopiedPods> CopiedPods::Of(Stage& stage, const kube::Object& pod) {
  ASSIGN_OR_RETURN(std::string name_space, stage.NewNamespace("copies"));
  ASSIGN_OR_RETURN(json::Value owner, stage.NewOwner(name_space));
  json::Value pattern = pod.ToValue();
  pattern.Set("apiVersion", "v1");
  pattern.Set("kind", "Pod");
  return CopiedPods(stage, std::move(pattern), std::move(name_space), std::move(owner));
}

Status CopiedPods::GrowTo(size_t count, const WaitLimit& limit) {
  const size_t missing = count - std::min(count, count_);
  RETURN_IF_ERROR(ForEachInParallel(missing, kCreators, [&](size_t i) {
    const kube::ObjectKey key{name_space_, fmt::format("scale-test-0-worker-{:05}", count_ + i)};
    const json::Blob body = AsCopy(pattern_, key, owner_).ToBlob();
    return stage_.client().Create(kube::types::Pods(), name_space_, body.view(), limit).status();
  }));
  count_ += missing;
  return stage_.pods().Await(
      name_space_, [this](const Population& pods) { return pods.running == count_; }, limit);
}

}  // namespace hearth::bench
