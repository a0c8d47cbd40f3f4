// Who is deleted so that it is made anew, on a real API server and with the operator's own rights.
// The test plays kubelet, Grove and ReplicaSet controller.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/testing/status_matchers.h"
#include "dynamo/recovery/recovery_controllers.h"
#include "eventually.h"
#include "snapshot_cluster.h"

namespace hearth {
namespace {

using json::Value;

class Recovery : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    static const bool kInstalled = [&] {
      SnapshotCluster::Install(*plane_);
      return true;
    }();
    ASSERT_TRUE(kInstalled);
    cluster_ = std::make_unique<SnapshotCluster>(*plane_);
    auto transport =
        kube::MakeHttpTransport(loop_, cluster_->OperatorConfig(), kube::ConfigSources::Real());
    ASSERT_OK(transport);
    transport_ = *std::move(transport);
  }
  void TearDown() override {
    stop_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    manager_.reset();
  }

  void Start() {
    manager_ =
        controller::Manager::CreateWith({.name = "hearth-operator"}, *transport_, Logger::Null());
    controllers_ = std::make_unique<dynamo::RecoveryControllers>(
        *manager_, dynamo::RecoveryOptions{.includes = {}, .name_space = cluster_->name_space()});
    thread_ = std::thread([this] { EXPECT_OK(manager_->Run(stop_.get_token())); });
  }

  void Create(const std::string& name, const Value& labels, bool server = false) {
    Value pod = kube::NewObject(kube::types::Pods(), {cluster_->name_space(), name});
    pod["metadata"].Set("labels", labels);
    pod.MakePath("spec.nodeName") = "node-a";
    pod.MakePath("spec.restartPolicy") = server ? "Always" : "Never";
    pod.MakePath("spec.containers") =
        Value::Array({Value::Object({{"name", "main"}, {"image", "engine"}})});
    if (server) {
      pod.MakePath("spec.initContainers") = Value::Array({Value::Object(
          {{"name", "gms-server"}, {"image", "engine"}, {"restartPolicy", "Always"}})});
      const kube::OwnerReference owner{.api_version = "apps/v1",
                                       .kind = "ReplicaSet",
                                       .name = "replicas",
                                       .uid = "00000000-0000-0000-0000-000000000001",
                                       .controller = true};
      pod["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    }
    const json::Blob body = pod.ToBlob();
    ASSERT_OK(cluster_->client().Create(kube::types::Pods(), cluster_->name_space(), body.view(),
                                        SnapshotCluster::Limit()));
  }
  void CreateEngine(const std::string& name, const std::string& index) {
    Create(name, Value::Object({{"nvidia.com/dynamo-failover-engine-group-member", "true"},
                                {"grove.io/podcliquescalinggroup", "graph-0-worker"},
                                {"grove.io/podcliquescalinggroup-replica-index", "0"},
                                {"grove.io/podclique-pod-index", index}}));
  }
  void SetStatus(const std::string& name, const Value& status) {
    const std::string body = Value::Object({{"status", status}}).Write();
    ASSERT_OK(cluster_->client().Patch(kube::types::Pods(), {cluster_->name_space(), name},
                                       kube::PatchType::kStrategic, json::View::Trusted(body),
                                       SnapshotCluster::Limit(), {.subresource = "status"}));
  }
  void Restarted(const std::string& name, int times) {
    SetStatus(name, Value::Object({{"phase", "Running"},
                                   {"initContainerStatuses",
                                    Value::Array({Value::Object({{"name", "gms-server"},
                                                                 {"image", "engine"},
                                                                 {"imageID", ""},
                                                                 {"ready", true},
                                                                 {"restartCount", times}})})}}));
  }
  // Gone, or on its way.
  bool Leaves(const std::string& name) {
    const auto pod = cluster_->client().Get(kube::types::Pods(), {cluster_->name_space(), name},
                                            SnapshotCluster::Limit());
    return pod.ok() ? pod->meta().deleting() : pod.status().Is(Code::kNotFound);
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::unique_ptr<SnapshotCluster> cluster_;
  net::EventLoop loop_{"operator"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<dynamo::RecoveryControllers> controllers_;
  std::stop_source stop_;
  std::thread thread_;
};

// C1
TEST_F(Recovery, AGroupOfEnginesGoesWithTheOneThatEnded) {
  for (const char* const name : {"leader", "worker"}) {
    CreateEngine(name, "0");
  }
  CreateEngine("standby", "1");
  Create("memory", Value::Object({{"grove.io/podcliquescalinggroup", "graph-0-worker"},
                                  {"grove.io/podcliquescalinggroup-replica-index", "0"},
                                  {"grove.io/podclique-pod-index", "0"}}));
  Start();
  SetStatus("worker", Value::Object({{"phase", "Failed"}}));
  EXPECT_TRUE(Eventually([&] { return Leaves("worker"); }));
  EXPECT_TRUE(Eventually([&] { return Leaves("leader"); }));  // one is deleted after the other
  EXPECT_FALSE(Leaves("standby"));
  EXPECT_FALSE(Leaves("memory"));
  EXPECT_TRUE(cluster_->AwaitEvent("FailoverCascade"));
}

TEST_F(Recovery, ARestoredPodGoesWithItsMemoryServer) {
  const Value restored = Value::Object({{"nvidia.com/snapshot-is-restore-target", "true"}});
  Create("restored", restored, true);
  Create("well", restored, true);
  Create("cold", Value::Object({{"x", "y"}}), true);
  Start();
  Restarted("well", 0);
  Restarted("cold", 1);
  Restarted("restored", 1);
  EXPECT_TRUE(Eventually([&] { return Leaves("restored"); }));
  EXPECT_FALSE(Leaves("well"));
  EXPECT_FALSE(Leaves("cold"));
  EXPECT_TRUE(cluster_->AwaitEvent("MemoryServerRestarted"));
}

}  // namespace
}  // namespace hearth
