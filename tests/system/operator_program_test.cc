// The program itself, with the operator's own rights, against a real API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "http/client.h"
#include "kube/testing/own_port.h"
#include "snapshot/protocol/names.h"
#include "snapshot_cluster.h"

namespace hearth {
namespace {

using namespace std::chrono_literals;
using json::Value;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAbandoning = "--artifact-delete-timeout=1s";

class OperatorProgram : public testing::Test {
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
    node_ = "node-" + cluster_->name_space();
    cluster_->AddNode(node_);
    cluster_->AddPod("worker", node_);
    kubeconfig_ = directory_ / "operator.kubeconfig";
    ASSERT_OK(RealFileSystem().Write(
        kubeconfig_, kube::WriteKubeconfig(plane_->config(), cluster_->OperatorToken()), 0600));
  }

  ChildProcess Start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv = {
        HEARTH_OPERATOR, "run", "--kubeconfig=" + kubeconfig_,
        "--health-address=127.0.0.1:" + std::to_string(health_.number()),
        "--webhook-address=127.0.0.1:" + std::to_string(webhook_.number()),
        "--lease-namespace=hearth-system", "--operator-namespace=hearth-system",
        // One that is killed leaves its lease behind. One that runs must not lose it because the
        // machine is busy.
        "--lease-duration=10s", "--renew-deadline=9s", "--retry-period=500ms", kAbandoning};
    argv.insert(argv.end(), more.begin(), more.end());
    auto process = ChildProcess::Start({.argv = argv, .log_path = directory_ / "log"});
    EXPECT_OK(process);
    return *std::move(process);
  }
  std::string Log() { return RealFileSystem().Read(directory_ / "log", 16 << 20).value_or(""); }
  int Ask(const std::string& target) {
    http::Client client(loop_, {.host = "127.0.0.1", .port = health_.number()}, nullptr);
    const auto answer = client.Send({.target = target}, SnapshotCluster::Limit());
    return answer.ok() ? answer->status : 0;
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::unique_ptr<SnapshotCluster> cluster_;
  std::string node_, kubeconfig_;
  TempDirectory directory_;
  net::EventLoop loop_{"test"};
  kube::OwnPort health_ = kube::OwnPort::Take().value();
  kube::OwnPort webhook_ = kube::OwnPort::Take().value();
};

// A106, W20
TEST_F(OperatorProgram, PutsEveryDefinitionIntoTheClusterWithItsOwnRights) {
  const auto applied = RealProcessRunner().Run(
      {.argv = {HEARTH_OPERATOR, "crd-apply", "--kubeconfig=" + kubeconfig_}},
      SnapshotCluster::Limit());
  ASSERT_OK(applied);
  EXPECT_TRUE(applied->ok()) << applied->errors;
  EXPECT_THAT(applied->output, HasSubstr("podsnapshots.nvidia.com updated"))
      << "another version is stamped on it";
  const auto again = RealProcessRunner().Run(
      {.argv = {HEARTH_OPERATOR, "crd-apply", "--kubeconfig=" + kubeconfig_}},
      SnapshotCluster::Limit());
  ASSERT_OK(again);
  EXPECT_THAT(again->output, Not(HasSubstr("updated")));
  EXPECT_THAT(again->output, HasSubstr("podcliquesets.grove.io unchanged"));
}

TEST_F(OperatorProgram, RunsWithItsOwnRightsAndStopsWhenTold) {
  ChildProcess program = Start();
  ASSERT_TRUE(Eventually([&] { return Ask("/readyz") == 200; })) << Log();
  EXPECT_EQ(Ask("/healthz"), 200);
  EXPECT_EQ(Ask("/metrics"), 200);
  cluster_->Wish("warm", "worker",
                 Value::Object({{std::string(snapshot::kDeletionPolicyAnnotation), "Delete"}}));
  const std::string content = cluster_->AwaitBound("warm");
  cluster_->Tell(content, "Ready", "True", "Captured",
                 Value::Object({{"checkpointID", "llama"}, {"version", "1"}}));
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured")) << Log();
  EXPECT_TRUE(cluster_->AwaitEvent("Captured"));
  cluster_->Wish("doomed", "worker");
  ASSERT_TRUE(cluster_->AwaitCondition("doomed", "Ready", "False Pending"));
  cluster_->RemoveNode(node_);
  EXPECT_TRUE(cluster_->AwaitCondition("doomed", "Failed", "True NodeLost"));
  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); })) << Log();

  ASSERT_OK(program.Signal(SIGTERM));
  const auto ended = program.Wait(SnapshotCluster::Limit());
  ASSERT_OK(ended);
  EXPECT_EQ(ended->exit_code, 0) << Log();
  EXPECT_THAT(Log(), Not(HasSubstr("orbidden"))) << "a right is missing";
  const auto lease = cluster_->client().Get(
      kube::types::Leases(), {"hearth-system", "hearth-operator"}, SnapshotCluster::Limit());
  ASSERT_OK(lease);
  EXPECT_EQ(lease->view()["spec"]["holderIdentity"].StringOr(""), "") << "it was not given up";
}

// Killed again and again, wherever it happens to be: every snapshot has one content in the end.
TEST_F(OperatorProgram, KilledAnywhereItGoesOnFromThere) {
  constexpr size_t kSnapshots = 40;
  for (size_t i = 0; i < kSnapshots; ++i) {
    cluster_->Wish("s" + std::to_string(i), "worker");
  }
  for (size_t some = 1; some < kSnapshots; some += 13) {
    ChildProcess program = Start({"--webhooks=false"});
    ASSERT_TRUE(Eventually([&] { return cluster_->CountContents() >= some; })) << Log();
    ASSERT_OK(program.Signal(SIGKILL));
    ASSERT_OK(program.Wait(SnapshotCluster::Limit()));
  }
  ChildProcess program = Start({"--webhooks=false"});
  for (size_t i = 0; i < kSnapshots; ++i) {
    EXPECT_TRUE(cluster_->AwaitCondition("s" + std::to_string(i), "Ready", "False Pending")) << i;
  }
  EXPECT_EQ(cluster_->CountContents(), kSnapshots);
}

TEST_F(OperatorProgram, ItsManifestsAreTakenByTheServer) {
  EXPECT_OK(plane_->Kubectl(
      {"apply", "--dry-run=server", "-f", std::string(HEARTH_SOURCE_DIR) + "/deploy/operator"}));
}

// A namespace goes although nobody deletes the artifact of a snapshot in it.
TEST(OperatorProgramAndNamespaces, ANamespaceIsNeverHeldForEver) {
  auto plane = kube::TestControlPlane::Start({.controllers = {"namespace-controller"}});
  if (plane.status().Is(Code::kNotFound)) {
    GTEST_SKIP() << plane.status().ToString();
  }
  ASSERT_OK(plane);
  SnapshotCluster::Install(**plane);
  SnapshotCluster cluster(**plane);
  TempDirectory directory;
  const std::string kubeconfig = directory / "operator.kubeconfig";
  ASSERT_OK(RealFileSystem().Write(
      kubeconfig, kube::WriteKubeconfig((*plane)->config(), cluster.OperatorToken()), 0600));
  auto program = ChildProcess::Start(
      {.argv = {HEARTH_OPERATOR, "run", "--kubeconfig=" + kubeconfig,
                "--health-address=", "--leader-elect=false", "--webhooks=false", kAbandoning},
       .log_path = directory / "log"});
  ASSERT_OK(program);
  cluster.AddNode("node-a");
  cluster.AddPod("worker", "node-a");
  cluster.Wish("warm", "worker",
               Value::Object({{std::string(snapshot::kDeletionPolicyAnnotation), "Delete"}}));
  cluster.AwaitBound("warm");
  ASSERT_TRUE(cluster.AwaitCondition("warm", "Ready", "False Pending"));
  ASSERT_OK(cluster.client().Delete(kube::types::Namespaces(), {"", cluster.name_space()},
                                    SnapshotCluster::Limit()));
  // Pods leave first, and when a kubelet says so; here nobody does.
  (void)cluster.client().Delete(kube::types::Pods(), {cluster.name_space(), "worker"},
                                SnapshotCluster::Limit(), {.grace_period_seconds = 0});
  EXPECT_TRUE(Eventually([&] {
    return cluster.client()
        .Get(kube::types::Namespaces(), {"", cluster.name_space()}, SnapshotCluster::Limit())
        .status()
        .Is(Code::kNotFound);
  }));
  EXPECT_EQ(cluster.CountContents(), 0U);
}

}  // namespace
}  // namespace hearth
