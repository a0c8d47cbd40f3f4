#include "agent/node/testing/cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "json/time.h"
#include "kube/model/object.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::agent::node {
namespace {

json::Value StatusOf(const TestContainer& container) {
  json::Value status = json::Value::Object({{"name", container.name},
                                            {"ready", container.ready},
                                            {"restartCount", 0},
                                            {"image", "registry.example/engine:1"},
                                            {"imageID", ""}});
  if (!container.id.empty()) {
    status.Set("containerID", "containerd://" + container.id);
  }
  if (container.exit_code) {
    status["state"]["terminated"].Set("exitCode", *container.exit_code);
  } else if (container.id.empty()) {
    status["state"]["waiting"].Set("reason", "ContainerCreating");
  } else {
    status["state"].Set("running", json::Value::Object());
  }
  return status;
}

kube::WriteOptions OfStatus() {
  kube::WriteOptions options;
  options.subresource = "status";
  return options;
}

const kube::ResourceType& CoreEvents() {
  static const kube::ResourceType type{"events.k8s.io", "v1", "events", "Event", true};
  return type;
}

}  // namespace

bool Until(const std::function<bool()>& condition) {
  const SteadyTime end = TimeAfter(RealClock().Now(), std::chrono::minutes(3));
  while (!condition()) {
    if (RealClock().Now() > end) {
      return false;
    }
    SleepFor(RealClock(), std::chrono::milliseconds(5), {});
  }
  return true;
}

Cluster::Cluster(kube::Transport& transport, std::string name_space, std::string node)
    : name_space_(std::move(name_space)),
      node_(std::move(node)),
      client_(transport, RealClock(), {.field_manager = "test"}) {}

json::Value Cluster::NewPod(const std::string& name, const std::string& checkpoint_id) const {
  json::Value pod = kube::NewObject(kube::types::Pods(), {name_space_, name});
  pod["metadata"]["labels"].Set(snapshot::kCheckpointIdLabel, checkpoint_id);
  pod["spec"].Set("nodeName", node_);
  pod["spec"]["containers"].Append(
      json::Value::Object({{"name", "main"}, {"image", "registry.example/engine:1"}}));
  return pod;
}

WaitLimit Cluster::Limit() const { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

PodFacts Cluster::Create(json::Value pod, const Change& change) {
  if (change) {
    change(pod);
  }
  const std::string body = pod.Write();
  const auto created =
      client_.Create(kube::types::Pods(), name_space_, json::View::Trusted(body), Limit());
  EXPECT_OK(created);
  return created.ok() ? ReadPod(created->view()) : PodFacts{};
}

PodFacts Cluster::CreateSource(const std::string& name, const std::string& checkpoint_id,
                               const Change& change) {
  json::Value pod = NewPod(name, checkpoint_id);
  pod["metadata"]["labels"].Set(snapshot::kSourceLabel, "true");
  return Create(std::move(pod), change);
}

PodFacts Cluster::CreateRestore(const std::string& name, const std::string& checkpoint_id,
                                const std::string& targets, const Change& change) {
  json::Value pod = NewPod(name, checkpoint_id);
  pod["metadata"]["annotations"].Set(snapshot::kTargetsAnnotation, targets);
  return Create(std::move(pod), change);
}

void Cluster::Run(const std::string& pod, const std::vector<TestContainer>& containers,
                  const std::string& phase) {
  json::Value statuses = json::Value::Array();
  for (const TestContainer& container : containers) {
    statuses.Append(StatusOf(container));
  }
  json::Value patch;
  patch["status"].Set("phase", phase);
  patch["status"].Set("podIP", "10.0.0.7");
  patch["status"].Set("podIPs", json::Value::Array({json::Value::Object({{"ip", "10.0.0.7"}}),
                                                    json::Value::Object({{"ip", "fd00::7"}})}));
  patch["status"].Set("containerStatuses", std::move(statuses));
  const std::string body = patch.Write();
  EXPECT_OK(client_.Patch(kube::types::Pods(), {name_space_, pod}, kube::PatchType::kMerge,
                          json::View::Trusted(body), Limit(), OfStatus()));
}

void Cluster::SetPod(const std::string& pod, const json::Value& merge_patch) {
  const std::string body = merge_patch.Write();
  EXPECT_OK(client_.Patch(kube::types::Pods(), {name_space_, pod}, kube::PatchType::kMerge,
                          json::View::Trusted(body), Limit()));
}

void Cluster::DeletePod(const std::string& pod) {
  kube::DeleteOptions options;
  options.grace_period_seconds = 0;
  EXPECT_OK(client_.Delete(kube::types::Pods(), {name_space_, pod}, Limit(), options));
}

PodFacts Cluster::Pod(const std::string& pod) {
  const auto object = client_.Get(kube::types::Pods(), {name_space_, pod}, Limit());
  return object.ok() ? ReadPod(object->view()) : PodFacts{};
}

bool Cluster::HasPod(const std::string& pod) {
  return client_.Get(kube::types::Pods(), {name_space_, pod}, Limit()).ok();
}

ContentFacts Cluster::CreateContent(const std::string& name, const PodFacts& pod,
                                    const Change& change) {
  json::Value content = kube::NewObject(Contents(), {"", name});
  content["metadata"]["labels"].Set(snapshot::kNodeLabel, snapshot::NodeLabelValue(node_));
  content["spec"].Set("snapshotRef", json::Value::Object({{"namespace", name_space_},
                                                          {"name", "snapshot-of-" + name}}));
  json::Value& source = content["spec"]["source"];
  source.Set("nodeName", node_);
  source.Set("podRef", json::Value::Object({{"name", pod.key.name},
                                            {"uid", pod.uid},
                                            {"containers", json::Value::Array({"main"})}}));
  if (change) {
    change(content);
  }
  const std::string body = content.Write();
  const auto created = client_.Create(Contents(), "", json::View::Trusted(body), Limit());
  EXPECT_OK(created);
  return created.ok() ? ReadContent(created->view()) : ContentFacts{};
}

void Cluster::DeleteContent(const std::string& name) {
  EXPECT_OK(client_.Delete(Contents(), {"", name}, Limit()));
}

std::optional<ContentFacts> Cluster::Content(const std::string& name) {
  const auto object = client_.Get(Contents(), {"", name}, Limit());
  return object.ok() ? std::optional(ReadContent(object->view())) : std::nullopt;
}

void Cluster::SetConditions(const std::string& content, json::Value conditions) {
  json::Value patch;
  patch["status"].Set("conditions", std::move(conditions));
  const std::string body = patch.Write();
  EXPECT_OK(client_.Patch(Contents(), {"", content}, kube::PatchType::kMerge,
                          json::View::Trusted(body), Limit(), OfStatus()));
}

bool Cluster::AwaitContent(const std::string& name,
                           const std::function<bool(const ContentFacts&)>& condition) {
  return Until([&] {
    const auto content = Content(name);
    return content && condition(*content);
  });
}

std::string Cluster::FailedReason(const std::string& content) {
  const auto facts = Content(content);
  if (!facts || !facts->failed) {
    return "";
  }
  const std::string text = facts->conditions.Write();
  return controller::FindCondition(json::View::Trusted(text), snapshot::kFailedCondition)->reason;
}

bool Cluster::AwaitFailed(const std::string& content, const std::string& reason) {
  return Until([&] { return FailedReason(content) == reason; });
}

bool Cluster::AwaitReady(const std::string& content) {
  return AwaitContent(content, [](const ContentFacts& facts) { return facts.ready; });
}

bool Cluster::AwaitPod(const std::string& pod,
                       const std::function<bool(const PodFacts&)>& condition) {
  return Until([&] { return condition(Pod(pod)); });
}

std::string Cluster::RestoreStatus(const std::string& pod, const std::string& target) {
  return std::string(Pod(pod).Annotation(snapshot::KeysOfTarget(target)->status));
}

bool Cluster::AwaitRestoreStatus(const std::string& pod, const std::string& target,
                                 const std::string& status) {
  return Until([&] { return RestoreStatus(pod, target) == status; });
}

bool Cluster::AwaitSum(const std::string& pod, const std::string& word) {
  return AwaitPod(pod, [&](const PodFacts& facts) {
    return facts.Annotation(snapshot::kRestoreStatusAnnotation) == word;
  });
}

std::vector<std::string> Cluster::Events(const std::string& pod) {
  std::vector<std::string> reasons;
  const auto events = client_.List(CoreEvents(), name_space_, Limit());
  EXPECT_OK(events);
  for (const kube::Object& event : events.ok() ? events->items : std::vector<kube::Object>{}) {
    if (event["regarding"]["name"].StringOr("") == pod) {
      reasons.push_back(event["reason"].StringOr(""));
    }
  }
  return reasons;
}

bool Cluster::AwaitEvent(const std::string& pod, const std::string& reason) {
  return Until([&] {
    const auto reasons = Events(pod);
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  });
}

std::optional<kube::Object> Cluster::Lease(const std::string& name_space, const std::string& name) {
  auto lease = client_.Get(kube::types::Leases(), {name_space, name}, Limit());
  return lease.ok() ? std::optional(*std::move(lease)) : std::nullopt;
}

void Cluster::PutLease(const std::string& name_space, const std::string& name,
                       const std::string& holder, int seconds) {
  Status put;
  const auto write = [&] {
    const auto before = Lease(name_space, name);
    json::Value lease =
        before ? before->ToValue() : kube::NewObject(kube::types::Leases(), {name_space, name});
    lease["spec"].Set("holderIdentity", holder);
    lease["spec"].Set("leaseDurationSeconds", seconds);
    lease["spec"].Set("renewTime", json::Time{RealClock().WallNow()}.ToMicroString());
    const std::string body = lease.Write();
    const auto view = json::View::Trusted(body);
    put = ToStatus(before ? client_.Update(kube::types::Leases(), {name_space, name}, view, Limit())
                          : client_.Create(kube::types::Leases(), name_space, view, Limit()));
    return !put.Is(Code::kConflict);
  };
  // Its holder may renew it between our reading and our writing.
  EXPECT_TRUE(Until(write)) << "somebody is always faster";
  EXPECT_OK(put);
}

}  // namespace hearth::agent::node
