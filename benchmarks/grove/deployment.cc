#include "deployment.h"

#include <fmt/format.h>

#include <utility>

#include "manifests.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

using json::Value;

constexpr auto kLookAgain = std::chrono::milliseconds(100);

size_t PodsOf(int replicas) { return static_cast<size_t>(replicas) * kPodsPerReplica; }

const std::vector<kube::ResourceType>& MadeByOperators() {
  static const std::vector<kube::ResourceType> kTypes = {
      kube::types::Services(),
      PodCliques(),
      kube::types::Pods(),
      PodGangs(),
      kube::types::ServiceAccounts(),
      {"rbac.authorization.k8s.io", "v1", "roles", "Role", true},
      {"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true}};
  return kTypes;
}

}  // namespace

Result<Deployment> Deployment::In(Stage& stage, const Plan& plan, const std::string& prefix) {
  ASSIGN_OR_RETURN(std::string name_space, stage.NewNamespace(prefix));
  return Deployment(stage, plan, {std::move(name_space), "scale-test"});
}

void Deployment::Begin() {
  begun_ = RealClock().Now();
  begun_wall_ = RealClock().WallNow();
}

double Deployment::seconds() const { return SecondsSince(begun_); }

Status Deployment::Create(const Value& set) {
  const json::Blob body = set.ToBlob();
  Begin();
  return stage_.client().Create(PodCliqueSets(), key_.name_space, body.view(), Limit()).status();
}

Status Deployment::Apply(int replicas) { return Create(MakeSet(key_, replicas)); }
Status Deployment::ApplySharing(int replicas) { return Create(MakeSharingSet(key_, replicas)); }

Result<double> Deployment::Scale(int replicas) {
  const json::Blob patch =
      Value::Object({{"spec", Value::Object({{"replicas", replicas}})}}).ToBlob();
  Begin();
  RETURN_IF_ERROR(stage_.client().Patch(PodCliqueSets(), key_, kube::PatchType::kMerge,
                                        patch.view(), Limit(), {.subresource = "scale"}));
  RETURN_IF_ERROR(AwaitPods(replicas));
  return seconds();
}

Result<double> Deployment::Delete() {
  Begin();
  RETURN_IF_ERROR(
      stage_.client().Delete(PodCliqueSets(), key_, Limit(), {.propagation = "Background"}));
  RETURN_IF_ERROR(AwaitPods(0));
  const WaitLimit limit = Limit();
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<Made> left, Objects());
    if (left.empty()) {
      return seconds();
    }
    RETURN_IF_ERROR(limit.Check(
        RealClock(), fmt::format("{} objects of {} are left", left.size(), key_.ToString())));
    SleepFor(RealClock(), kLookAgain, {});
  }
}

Status Deployment::Touch() {
  Value patch;
  patch.MakePath("metadata.annotations")
      .Set("grove.io/reconcile-trigger",
           std::to_string(RealClock().WallNow().time_since_epoch().count()));
  const json::Blob body = patch.ToBlob();
  Begin();
  return stage_.client()
      .Patch(PodCliqueSets(), key_, kube::PatchType::kMerge, body.view(), Limit())
      .status();
}

Status Deployment::AwaitPods(int replicas) {
  return stage_.pods().Await(
      key_.name_space,
      [want = PodsOf(replicas)](const Population& pods) { return pods.there == want; }, Limit());
}

Status Deployment::AwaitRunning(int replicas) {
  return stage_.pods().Await(
      key_.name_space,
      [want = PodsOf(replicas)](const Population& pods) {
        return pods.there == want && pods.running == want;
      },
      Limit());
}

Status Deployment::AwaitAvailable(int replicas) {
  return stage_.AwaitAvailable(key_, replicas, Limit());
}

Result<std::vector<Made>> Deployment::Objects(const kube::ResourceType& type) {
  ASSIGN_OR_RETURN(
      kube::ListPage page,
      stage_.client().List(type, key_.name_space, Limit(),
                           {.label_selector = fmt::format("{}={}", kManagedBy, kManager)}));
  std::vector<Made> made;
  made.reserve(page.items.size());
  for (kube::Object& object : page.items) {
    made.push_back({type, std::move(object)});
  }
  return made;
}

Result<std::vector<Made>> Deployment::Objects() {
  std::vector<Made> all;
  for (const kube::ResourceType& type : MadeByOperators()) {
    ASSIGN_OR_RETURN(const std::vector<Made> some, Objects(type));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace hearth::bench
