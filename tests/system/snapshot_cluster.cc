#include "snapshot_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "eventually.h"
#include "json/time.h"
#include "operator_app/crd_apply.h"
#include "snapshot/operator/resources.h"
#include "snapshot/protocol/node_names.h"

namespace hearth {
namespace {

using json::Value;
using snapshot::PodSnapshotContents;
using snapshot::PodSnapshots;

constexpr const char* kOperatorNamespace = "hearth-system";

std::unique_ptr<kube::Transport> Connect(net::EventLoop& loop, kube::TestControlPlane& plane) {
  auto transport = kube::MakeHttpTransport(loop, plane.config(), kube::ConfigSources::Real());
  EXPECT_OK(transport);
  return transport.ok() ? *std::move(transport) : nullptr;
}

}  // namespace

void SnapshotCluster::Install(kube::TestControlPlane& plane) {
  net::EventLoop loop("install");
  const auto transport = Connect(loop, plane);
  kube::Client client(*transport, RealClock());
  ASSERT_OK(operator_app::ApplyDefinitions(client, operator_app::RenderDefinitions({}), Limit(),
                                           [](const std::string&, operator_app::Applied) {}));
  if (!plane.Kubectl({"get", "namespace", kOperatorNamespace}).ok()) {
    ASSERT_OK(plane.Kubectl({"create", "namespace", kOperatorNamespace}));
  }
  ASSERT_OK(plane.Kubectl({"apply", "--server-side", "-f",
                           std::string(HEARTH_SOURCE_DIR) + "/deploy/operator/rbac.yaml"}));
  ASSERT_TRUE(Eventually([&] {
    return client.List(PodSnapshots(), "", Limit()).ok() &&
           client.List(PodSnapshotContents(), "", Limit()).ok();
  }));
}

SnapshotCluster::SnapshotCluster(kube::TestControlPlane& plane)
    : plane_(plane), transport_(Connect(loop_, plane)) {
  client_ = std::make_unique<kube::Client>(*transport_, RealClock(),
                                           kube::ClientOptions{.field_manager = "test"});
  auto name_space = plane.NewNamespace("snapshots");
  EXPECT_OK(name_space);
  name_space_ = name_space.ok() ? *name_space : "default";
}

SnapshotCluster::~SnapshotCluster() {
  EXPECT_OK(client_->DeleteCollection(kube::types::Leases(), name_space_, Limit(), {}));
}

std::string SnapshotCluster::OperatorToken() {
  const json::Blob body = Value::Object({{"apiVersion", "authentication.k8s.io/v1"},
                                         {"kind", "TokenRequest"},
                                         {"spec", Value::Object({{"expirationSeconds", 3600}})}})
                              .ToBlob();
  const auto answer = client_->CreateSubresource(kube::types::ServiceAccounts(),
                                                 {kOperatorNamespace, "hearth-operator"},
                                                 body.view(), Limit(), {.subresource = "token"});
  EXPECT_OK(answer);
  return answer.ok() ? answer->view()["status"]["token"].StringOr("") : "";
}

kube::Config SnapshotCluster::OperatorConfig() {
  kube::Config config = plane_.config();
  config.credentials = kube::StaticToken(OperatorToken());
  config.name_space = kOperatorNamespace;
  return config;
}

void SnapshotCluster::Create(const kube::ResourceType& type, const Value& object) {
  const json::Blob body = object.ToBlob();
  const Value* name_space = object.FindPath("metadata.namespace");
  ASSERT_OK(client_->Create(type, name_space == nullptr ? "" : name_space->StringOr(""),
                            body.view(), Limit()));
}

void SnapshotCluster::AddNode(const std::string& name) {
  Create(kube::types::Nodes(), kube::NewObject(kube::types::Nodes(), {"", name}));
}

void SnapshotCluster::RemoveNode(const std::string& name) {
  ASSERT_OK(client_->Delete(kube::types::Nodes(), {"", name}, Limit()));
}

void SnapshotCluster::AddPod(const std::string& name, const std::string& node) {
  Value pod = kube::NewObject(kube::types::Pods(), {name_space_, name});
  pod.MakePath("spec.containers") =
      Value::Array({Value::Object({{"name", "main"}, {"image", "engine"}})});
  if (!node.empty()) {
    pod["spec"].Set("nodeName", node);
  }
  Create(kube::types::Pods(), pod);
}

void SnapshotCluster::Schedule(const std::string& pod, const std::string& node) {
  const json::Blob binding =
      Value::Object({{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", Value::Object({{"name", pod}})},
                     {"target", Value::Object({{"kind", "Node"}, {"name", node}})}})
          .ToBlob();
  ASSERT_OK(client_->CreateSubresource(kube::types::Pods(), {name_space_, pod}, binding.view(),
                                       Limit(), {.subresource = "binding"}));
}

void SnapshotCluster::AddAgent(const std::string& node, int seconds) {
  Value lease =
      kube::NewObject(kube::types::Leases(), {name_space_, snapshot::AgentLeaseName(node)});
  lease["metadata"]["labels"][snapshot::kComponentLabel] = snapshot::kAgentComponent;
  lease.Set("spec",
            Value::Object({{"holderIdentity", node},
                           {"leaseDurationSeconds", seconds},
                           {"renewTime", json::Time{RealClock().WallNow()}.ToMicroString()}}));
  Create(kube::types::Leases(), lease);
}

std::string SnapshotCluster::Wish(const std::string& name, const std::string& pod,
                                  const Value& annotations) {
  Value snapshot = kube::NewObject(PodSnapshots(), {name_space_, name});
  if (annotations.IsObject()) {
    snapshot["metadata"].Set("annotations", annotations);
  }
  snapshot.MakePath("spec.source.podRef") =
      Value::Object({{"name", pod}, {"containers", Value::Array({"main"})}});
  const json::Blob body = snapshot.ToBlob();
  // The server may be down on purpose: whoever wishes insists.
  Result<kube::Object> created = UnavailableError("");
  EXPECT_TRUE(Eventually([&] {
    created = client_->Create(PodSnapshots(), name_space_, body.view(), Limit());
    return created.ok() || created.status().Is(Code::kAlreadyExists);
  })) << created.status();
  return created.ok() ? created->meta().uid() : "";
}

void SnapshotCluster::Forget(const std::string& name) {
  ASSERT_OK(client_->Delete(PodSnapshots(), {name_space_, name}, Limit()));
}

void SnapshotCluster::Annotate(const std::string& name, std::string_view annotation,
                               const std::string& value) {
  Value patch = Value::Object();
  patch.MakePath("metadata.annotations")[annotation] = value;
  const json::Blob body = patch.ToBlob();
  ASSERT_OK(client_->Patch(PodSnapshots(), {name_space_, name}, kube::PatchType::kMerge,
                           body.view(), Limit()));
}

void SnapshotCluster::Tell(const std::string& content, const std::string& type,
                           const std::string& status, const std::string& reason,
                           const Value& artifact) {
  const auto told =
      kube::UpdateWithRetry(*client_, PodSnapshotContents(), {"", content}, Limit(),
                            [&](Value& object) {
                              Value conditions = Value(object["status"]["conditions"]);
                              object["status"]["conditions"] = controller::SetCondition(
                                  std::move(conditions), {type, status, reason, "by the test", 1},
                                  json::Time{RealClock().WallNow()});
                              if (artifact.IsObject()) {
                                object["status"].Set("artifact", artifact);
                              }
                              return Status::Ok();
                            },
                            {.subresource = "status"});
  ASSERT_OK(told);
}

bool SnapshotCluster::Exists(const std::string& snapshot) {
  const auto found = client_->Get(PodSnapshots(), {name_space_, snapshot}, Limit());
  return !found.status().Is(Code::kNotFound);
}

std::optional<kube::Object> SnapshotCluster::Snapshot(const std::string& name) {
  auto found = client_->Get(PodSnapshots(), {name_space_, name}, Limit());
  return found.ok() ? std::optional(*std::move(found)) : std::nullopt;
}

std::optional<kube::Object> SnapshotCluster::Content(const std::string& name) {
  auto found = client_->Get(PodSnapshotContents(), {"", name}, Limit());
  return found.ok() ? std::optional(*std::move(found)) : std::nullopt;
}

size_t SnapshotCluster::CountContents() {
  const auto contents = client_->List(PodSnapshotContents(), "", Limit());
  EXPECT_OK(contents);
  return static_cast<size_t>(
      std::count_if(contents->items.begin(), contents->items.end(), [&](const kube::Object& each) {
        return each.view()["spec"]["snapshotRef"]["namespace"].Equals(name_space_);
      }));
}

std::string SnapshotCluster::Bound(const std::string& snapshot) {
  const auto found = Snapshot(snapshot);
  return found.has_value() ? found->view()["status"]["boundSnapshotContentName"].StringOr("") : "";
}

std::string SnapshotCluster::AwaitBound(const std::string& snapshot) {
  std::string bound;
  EXPECT_TRUE(Eventually([&] { return !(bound = Bound(snapshot)).empty(); })) << snapshot;
  return bound;
}

std::string SnapshotCluster::Condition(const std::string& snapshot, const std::string& type) {
  const auto object = Snapshot(snapshot);
  if (!object.has_value()) {
    return "gone";
  }
  const auto found = controller::FindCondition(object->view()["status"]["conditions"], type);
  return found.has_value() ? found->status + " " + found->reason : "";
}

bool SnapshotCluster::AwaitCondition(const std::string& snapshot, const std::string& type,
                                     const std::string& expected) {
  return Eventually([&] { return Condition(snapshot, type) == expected; });
}

bool SnapshotCluster::AwaitEvent(const std::string& reason) {
  return Eventually([&] {
    // Those about contents, which belong to no namespace, are in the default one.
    for (const std::string& name_space : {name_space_, std::string("default")}) {
      const auto events = client_->List(kube::types::Events(), name_space, Limit());
      if (events.ok() &&
          std::any_of(events->items.begin(), events->items.end(), [&](const kube::Object& event) {
            return event.view()["reason"].Equals(reason);
          })) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace hearth
