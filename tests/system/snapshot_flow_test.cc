// Operator and agent together, each with its own rights, against a real API server; only what the
// agent does to its node is a stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/node/testing/agent_rig.h"
#include "agent/node/testing/cluster.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "operator_in_process.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"
#include "snapshot_cluster.h"

namespace hearth {
namespace {

using namespace std::chrono_literals;
using agent::node::AgentRig;
using json::Value;

class SnapshotFlow : public testing::Test {
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
    ASSERT_OK(plane_->Kubectl({"apply", "--server-side", "-f",
                               std::string(HEARTH_SOURCE_DIR) + "/deploy/agent/rbac.yaml"}));
    cluster_ = std::make_unique<SnapshotCluster>(*plane_);
    node_name_ = "node-" + cluster_->name_space();
    cluster_->AddNode(node_name_);
    own_ = Connect(plane_->config());
    pods_ = std::make_unique<agent::node::Cluster>(*own_, cluster_->name_space(), node_name_);
    pods_->CreateSource("worker", Id());
    pods_->Run("worker", {{.id = "c1"}});
    BeginAgent();
    BeginOperator({});
  }

  std::unique_ptr<kube::Transport> Connect(const kube::Config& config) {
    auto transport = kube::MakeHttpTransport(loop_, config, kube::ConfigSources::Real());
    EXPECT_OK(transport);
    return *std::move(transport);
  }
  void BeginAgent() {
    const auto token =
        plane_->Kubectl({"create", "token", "snapshot-agent", "-n", "hearth-system"});
    ASSERT_OK(token);
    kube::Config config = plane_->config();
    config.credentials = kube::StaticToken(std::string(Trim(*token)));
    agents_ = Connect(config);
    agent::node::AgentOptions options = AgentRig::TestOptions();
    options.node = node_name_;
    options.name_space = "hearth-system";
    agent_ = std::make_unique<AgentRig>(*agents_, node_, options);
  }
  void BeginOperator(snapshot::SnapshotControllerOptions options) {
    operator_ = std::make_unique<OperatorInProcess>(*cluster_, options);
    operator_->Start();
  }
  std::string Id() const { return "id-" + cluster_->name_space(); }
  static Value Deleting() {
    return Value::Object({{std::string(snapshot::kDeletionPolicyAnnotation), "Delete"}});
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::string node_name_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<SnapshotCluster> cluster_;
  std::unique_ptr<kube::Transport> own_, agents_;
  std::unique_ptr<agent::node::Cluster> pods_;
  agent::node::NodeState node_;
  std::unique_ptr<AgentRig> agent_;
  std::unique_ptr<OperatorInProcess> operator_;
};

TEST_F(SnapshotFlow, FromTheWishToTheArtifactAndBack) {
  agent_->Start();
  cluster_->Wish("warm", "worker", Deleting());
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured")) << agent_->Log();
  EXPECT_TRUE(node_.Find(Id(), "1").present);
  const auto content = cluster_->Content(cluster_->Bound("warm"));
  ASSERT_TRUE(content.has_value());
  EXPECT_TRUE(content->view()["status"]["artifact"]["checkpointID"].Equals(Id()));

  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); })) << agent_->Log();
  EXPECT_FALSE(node_.Find(Id(), "1").present);
  EXPECT_EQ(cluster_->CountContents(), 0U);
}

TEST_F(SnapshotFlow, ASnapshotDeletedWhileItIsCapturedLeavesNothing) {
  agent_->work().Block("Capture");
  agent_->Start();
  cluster_->Wish("warm", "worker", Deleting());
  agent_->work().AwaitCalls("Capture", 1);
  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); })) << agent_->Log();
  EXPECT_FALSE(node_.Find(Id(), "1").present);
}

TEST_F(SnapshotFlow, AnAgentThatDiesLeavesNothingPending) {
  agent_->work().Block("Capture");
  agent_->Start();
  cluster_->Wish("warm", "worker");
  agent_->work().AwaitCalls("Capture", 1);
  agent_->Die();
  // The last sign of life, from an agent that promised to show one every second.
  pods_->PutLease("hearth-system", snapshot::AgentLeaseName(node_name_), node_name_, 1);
  snapshot::SnapshotControllerOptions options;
  options.limits.agent_grace = 1ms;
  operator_.reset();
  BeginOperator(options);
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Failed", "True AgentLost"));
}

TEST_F(SnapshotFlow, WhatTheAgentRefusesIsTold) {
  agent_->Start();
  cluster_->AddPod("nameless", node_name_);
  cluster_->Wish("warm", "nameless");
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Failed", "True MissingCheckpointID"))
      << agent_->Log();
}

}  // namespace
}  // namespace hearth
