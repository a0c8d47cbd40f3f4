#include "pod_load.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "kube/model/object.h"
#include "parallel.h"
#include "pod_factory.h"

namespace hearth::bench {
namespace {

constexpr size_t kCreators = 16;
constexpr size_t kPatchers = 32;
constexpr auto kRequestTimeout = std::chrono::seconds(30);

WaitLimit Limit() { return WaitLimit::For(RealClock(), kRequestTimeout); }

Status CreateIfMissing(kube::Client& client, const kube::ResourceType& type,
                       const kube::ObjectKey& key) {
  const json::Blob body = kube::NewObject(type, key).ToBlob();
  const auto created = client.Create(type, key.name_space, body.view(), Limit());
  return created.status().Is(Code::kAlreadyExists) ? Status() : created.status();
}

Status CreatePod(kube::Client& client, const std::string& name_space, size_t number) {
  const json::Blob body = PodBody(name_space, number).ToBlob();
  RETURN_IF_ERROR(client.Create(kube::types::Pods(), name_space, body.view(), Limit(),
                                {.field_manager = "kube-controller-manager"}));
  const json::Blob status = PodStatusPatch(number).ToBlob();
  return client
      .Patch(kube::types::Pods(), PodKey(name_space, number), kube::PatchType::kMerge,
             status.view(), Limit(), {.field_manager = "kubelet", .subresource = "status"})
      .status();
}

int64_t WallNanoseconds() { return RealClock().WallNow().time_since_epoch().count(); }

}  // namespace

Status CreatePods(kube::Client& client, const std::string& name_space, size_t count) {
  RETURN_IF_ERROR(CreateIfMissing(client, kube::types::Namespaces(), {"", name_space}));
  RETURN_IF_ERROR(
      CreateIfMissing(client, kube::types::ServiceAccounts(), {name_space, "checkout"}));
  return ForEachInParallel(count, kCreators,
                           [&](size_t number) { return CreatePod(client, name_space, number); });
}

Result<EventLoadResult> SendEvents(kube::Client& client, const EventLoad& load) {
  const size_t changes = std::min(load.changes, load.pods);
  // Spread over the whole collection.
  const size_t stride = std::max<size_t>(load.pods / std::max<size_t>(changes, 1), 1);
  const SteadyTime begin = RealClock().Now();
  RETURN_IF_ERROR(ForEachInParallel(changes, kPatchers, [&](size_t i) {
    const auto due =
        begin + Duration(static_cast<int64_t>(static_cast<double>(i) * 1e9 / load.per_second));
    SleepFor(RealClock(), due - RealClock().Now(), {});
    const json::Blob patch = SentPatch(WallNanoseconds()).ToBlob();
    return client
        .Patch(kube::types::Pods(), PodKey(load.name_space, i * stride), kube::PatchType::kMerge,
               patch.view(), Limit(), {.field_manager = "bench"})
        .status();
  }));
  return EventLoadResult{changes, std::chrono::duration<double>(RealClock().Now() - begin).count()};
}

}  // namespace hearth::bench
