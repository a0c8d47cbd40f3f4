// The whole chain: a real API server, the operator and the agent as programs, a real containerd, a
// real CRIU. Only the kubelet is played.
#include "agent/node/testing/cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/process_runner.h"
#include "containerd_rig.h"
#include "kube/testing/control_plane.h"
#include "net/event_loop.h"
#include "node_test.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/protocol/names.h"
#include "workload_process.h"

namespace hearth::node {
namespace {

using agent::node::Cluster;
using agent::node::Until;

constexpr const char* kNamespace = "team";  // that of the rig's pods
constexpr const char* kNode = "node-of-the-chain";

class ClusterTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    ASSERT_OK_AND_ASSIGN(rig_, ContainerdRig::Make());
    ASSERT_OK(plane_->Kubectl({"create", "namespace", kNamespace}));
    ASSERT_OK(plane_->Kubectl({"apply", "-f", std::string(HEARTH_SOURCE_DIR) + "/deploy/crds"}));
    // Asked too early, before there are conditions at all, kubectl fails instead of waiting.
    ASSERT_TRUE(Until([&] {
      return plane_
          ->Kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd",
                     "podsnapshotcontents.nvidia.com", "podsnapshots.nvidia.com"})
          .ok();
    }));
    ASSERT_OK(Apply(fmt::format("apiVersion: v1\nkind: Node\nmetadata: {{name: {}}}\n", kNode)));
    auto transport = kube::MakeHttpTransport(loop_, plane_->config(), kube::ConfigSources::Real());
    ASSERT_OK(transport.status());
    transport_ = *std::move(transport);
    cluster_ = std::make_unique<Cluster>(*transport_, kNamespace, kNode);
    StartPrograms();
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const char* const name : {"operator", "agent"}) {
        std::ifstream log(Path(std::string(name) + ".log"));
        ADD_FAILURE() << name << ":\n" << std::string(std::istreambuf_iterator<char>(log), {});
      }
    }
  }

  std::string Path(const std::string& name) const { return rig_->directory() / name; }
  Status Apply(const std::string& yaml) {
    std::ofstream(Path("object.yaml")) << yaml;
    return plane_->Kubectl({"apply", "-f", Path("object.yaml")}).status();
  }

  void StartPrograms() {
    const auto start = [&](const std::string& name, std::vector<std::string> argv) {
      auto process =
          ChildProcess::Start({.argv = std::move(argv), .log_path = Path(name + ".log")});
      EXPECT_OK(process.status());
      programs_.push_back(*std::move(process));
    };
    start("operator",
          {HEARTH_OPERATOR, "run", "--kubeconfig", plane_->kubeconfig_path(), "--health-address",
           "", "--operator-namespace", "default", "--webhooks=false", "--leader-elect=false"});
    start("agent",
          {SNAPSHOT_AGENT, "--kubeconfig", plane_->kubeconfig_path(), "--node-name", kNode,
           "--namespace", "default", "--runtime-socket", rig_->socket(), "--storage-directory",
           Path("storage"), "--binaries", bundle_, "--host-proc", "/proc", "--health-address", ""});
  }

  kube::TestControlPlane* plane_ = nullptr;
  net::EventLoop loop_{"test"};
  std::unique_ptr<ContainerdRig> rig_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<ChildProcess> programs_;
};

// A114, A115, without a GPU.
TEST_F(ClusterTest, APodSnapshotBecomesAnotherPod) {
  // A pod with a container that is ready to be captured.
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 16, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  cluster_->CreateSource("pod-source", "lark");
  cluster_->Run("pod-source", {{.id = source.id}});
  ASSERT_OK(Apply(fmt::format(R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {{name: lark, namespace: {}}}
spec: {{source: {{podRef: {{name: pod-source, containers: [main]}}}}}}
)",
                              kNamespace)));
  ASSERT_OK(plane_->Kubectl(
      {"wait", "--for=condition=Ready", "--timeout=120s", "-n", kNamespace, "podsnapshot/lark"}));
  // Ready means durable; and only after it may the workload go on.
  ASSERT_OK_AND_ASSIGN(const auto artifact,
                       snapshot::Artifact::Open(Path("storage/lark/versions/1")));
  EXPECT_EQ(artifact.manifest().source.pod_name, "pod-source");
  EXPECT_TRUE(Until([&] {
    return std::filesystem::exists(source.control + "/" +
                                   std::string(snapshot::kSnapshotCompleteFile));
  }));
  ASSERT_OK_AND_ASSIGN(const std::string digest,
                       plane_->Kubectl({"get", "podsnapshotcontents", "-o",
                                        "jsonpath={.items[0].status.artifact.digest}"}));
  EXPECT_EQ(digest, artifact.RootHex());
  rig_->Kill(source);

  // Another pod, which waits to become it.
  ASSERT_OK_AND_ASSIGN(const auto target, rig_->Start("target", {"/bin/workload", "standby"}));
  cluster_->CreateRestore("pod-target", "lark");
  cluster_->Run("pod-target", {{.id = target.id}});
  ASSERT_TRUE(cluster_->AwaitRestoreStatus("pod-target", "main", "completed"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(target.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_TRUE(
      std::filesystem::exists(target.control + "/" + std::string(snapshot::kRestoreCompleteFile)));
  EXPECT_TRUE(cluster_->AwaitEvent("pod-target", "RestoreSucceeded"));
}

}  // namespace
}  // namespace hearth::node
