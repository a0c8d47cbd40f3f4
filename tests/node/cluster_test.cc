// The whole chain: a real API server, the operator and the agent as programs, a real containerd, a
// real CRIU. Only the kubelet is played.
#include "agent/node/testing/cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agent/host/cgroup_directories.h"
#include "agent/host/process_facts.h"
#include "base/process_runner.h"
#include "base/unique_fd.h"
#include "containerd_rig.h"
#include "kube/testing/control_plane.h"
#include "net/event_loop.h"
#include "node_test.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/start_proof.h"
#include "workload_process.h"

namespace hearth::node {
namespace {

using agent::node::Cluster;
using agent::node::Until;

constexpr const char* kNamespace = "team";  // that of the rig's pods
constexpr const char* kGpu = "GPU-00000000-0000-0000-0000-000000000001";

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
    // Agents of other tests have left their nodes.
    static int nodes = 0;
    node_ = fmt::format("node-{}", ++nodes);
    // Perhaps by the test before this one.
    static_cast<void>(plane_->Kubectl({"create", "namespace", kNamespace}));
    ASSERT_OK(plane_->Kubectl({"apply", "-f", std::string(HEARTH_SOURCE_DIR) + "/deploy/crds"}));
    // Asked too early, before there are conditions at all, kubectl fails instead of waiting.
    ASSERT_TRUE(Until([&] {
      return plane_
          ->Kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd",
                     "podsnapshotcontents.nvidia.com", "podsnapshots.nvidia.com"})
          .ok();
    }));
    ASSERT_OK(Apply(fmt::format("apiVersion: v1\nkind: Node\nmetadata: {{name: {}}}\n", node_)));
    auto transport = kube::MakeHttpTransport(loop_, plane_->config(), kube::ConfigSources::Real());
    ASSERT_OK(transport.status());
    transport_ = *std::move(transport);
    cluster_ = std::make_unique<Cluster>(*transport_, kNamespace, node_);
    MakeSimulatedGpu();
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

  // What the agent asks for processes that have libcuda.so mapped (simulated_cuda_checkpoint.cc).
  void MakeSimulatedGpu() {
    std::filesystem::create_directories(Path("bin"));
    std::filesystem::create_directories(Path("cuda"));
    std::filesystem::create_symlink(SIMULATED_CUDA_CHECKPOINT, Path("bin/cuda-checkpoint"));
    ASSERT_EQ(::mkfifo(Path("cuda/gate").c_str(), 0600), 0);
  }
  // A workload that the agent takes for one that uses a GPU.
  Result<ContainerRig::Started> StartGpuWorkload(const std::string& name) {
    ASSIGN_OR_RETURN(auto started, rig_->Start(name,
                                               {"/bin/workload", "/snapshot-control/api.sock", "16",
                                                "2", "/tmp/libcuda.so.1"},
                                               {{"NVIDIA_VISIBLE_DEVICES", kGpu}}));
    ASSIGN_OR_RETURN(const int pid, PidOf(started));
    std::ofstream(Path(fmt::format("cuda/process.{}", pid))) << "running";
    return started;
  }
  Result<int> PidOf(const ContainerRig::Started& started) {
    ASSIGN_OR_RETURN(const agent::Container container, rig_->runtime().Find(started.id, Enough()));
    return container.pid;
  }
  // Processes in the container of this one.
  static size_t ProcessesBeside(int pid) {
    size_t most = 0;
    const std::string text = agent::ProcReader().CgroupText(pid).value_or("");
    for (const std::string& group : agent::CgroupDirectories(text, "/sys/fs/cgroup")) {
      std::ifstream file(group + "/cgroup.procs");
      size_t count = 0;
      for (std::string line; std::getline(file, line);) {
        ++count;
      }
      most = std::max(most, count);
    }
    return most;
  }

  // The container of that name is one of the pod that the API server has.
  void UseUidOfPod(const std::string& name) {
    const auto uid = plane_->Kubectl(
        {"get", "pod", "pod-" + name, "-n", kNamespace, "-o", "jsonpath={.metadata.uid}"});
    ASSERT_OK(uid);
    rig_->UseUid(name, *uid);
  }
  // A snapshot of the pod's container.
  void Wish(const std::string& name, const std::string& pod) {
    ASSERT_OK(Apply(fmt::format(R"(
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {{name: {}, namespace: {}}}
spec: {{source: {{podRef: {{name: {}, containers: [main]}}}}}}
)",
                                name, kNamespace, pod)));
  }
  Status AwaitCondition(const std::string& snapshot, const std::string& condition) {
    Status met;
    // Kubectl itself may take no longer than a minute.
    static_cast<void>(Until([&] {
      met = plane_
                ->Kubectl({"wait", "--for=condition=" + condition, "--timeout=30s", "-n",
                           kNamespace, "podsnapshot/" + snapshot})
                .status();
      return met.ok();
    }));
    return met;
  }
  std::string ReasonOf(const std::string& snapshot, const std::string& condition) {
    return plane_
        ->Kubectl(
            {"get", "-n", kNamespace, "podsnapshot/" + snapshot, "-o",
             fmt::format(R"(jsonpath={{.status.conditions[?(@.type=="{}")].reason}})", condition)})
        .value_or("");
  }
  static bool HasFile(const ContainerRig::Started& container, std::string_view name) {
    return std::filesystem::exists(container.control + "/" + std::string(name));
  }

  void StartPrograms() {
    const auto start = [&](const std::string& name, std::vector<std::string> argv) {
      auto process = ChildProcess::Start({.argv = std::move(argv),
                                          .env = {{"PATH", Path("bin") + ":" + std::getenv("PATH")},
                                                  {"SIMULATED_CUDA", Path("cuda")}},
                                          .log_path = Path(name + ".log")});
      EXPECT_OK(process.status());
      programs_.push_back(*std::move(process));
    };
    start("operator",
          {HEARTH_OPERATOR, "run", "--kubeconfig", plane_->kubeconfig_path(), "--health-address",
           "", "--operator-namespace", "default", "--webhooks=false", "--leader-elect=false"});
    start("agent",
          {SNAPSHOT_AGENT, "--kubeconfig", plane_->kubeconfig_path(), "--node-name", node_,
           "--namespace", "default", "--runtime-socket", rig_->socket(), "--storage-directory",
           Path("storage"), "--binaries", bundle_, "--host-proc", "/proc", "--health-address", ""});
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::string node_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<ContainerdRig> rig_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<ChildProcess> programs_;
};

// A114, A115, without a GPU.
TEST_F(ClusterTest, APodSnapshotBecomesAnotherPod) {
  // A pod with a container that is ready to be captured.
  cluster_->CreateSource("pod-source", "lark");
  UseUidOfPod("source");
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 16, 2));
  std::ofstream(source.control + "/" + std::string(snapshot::kReadyFile)) << "ready";
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  cluster_->Run("pod-source", {{.id = source.id}});
  Wish("lark", "pod-source");
  ASSERT_OK(AwaitCondition("lark", "Ready"));
  // Ready means durable; and only after it may the workload go on.
  ASSERT_OK_AND_ASSIGN(const auto artifact,
                       snapshot::Artifact::Open(Path("storage/lark/versions/1")));
  EXPECT_EQ(artifact.manifest().source.pod_name, "pod-source");
  EXPECT_TRUE(Until([&] { return HasFile(source, snapshot::kSnapshotCompleteFile); }));
  ASSERT_OK_AND_ASSIGN(const std::string digest,
                       plane_->Kubectl({"get", "podsnapshotcontents", "-o",
                                        "jsonpath={.items[0].status.artifact.digest}"}));
  EXPECT_EQ(digest, artifact.RootHex());
  // P5: how long it took to become what it is.
  ASSERT_TRUE(artifact.manifest().cold_start);
  EXPECT_LT(*artifact.manifest().cold_start, std::chrono::minutes(2));
  EXPECT_TRUE(Until([&] {
    const auto seconds =
        plane_->Kubectl({"get", "-n", kNamespace, "podsnapshot/lark", "-o",
                         R"(jsonpath={.metadata.annotations.hearth\.dev/cold-start-seconds})"});
    return seconds.ok() && std::strtod(seconds->c_str(), nullptr) > 0;
  }));
  rig_->Kill(source);

  // Another pod, which waits to become it.
  cluster_->CreateRestore("pod-target", "lark");
  UseUidOfPod("target");
  ASSERT_OK_AND_ASSIGN(const auto target, rig_->Start("target", {"/bin/workload", "standby"}));
  cluster_->Run("pod-target", {{.id = target.id}});
  ASSERT_TRUE(cluster_->AwaitRestoreStatus("pod-target", "main", "completed"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(target.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_TRUE(HasFile(target, snapshot::kRestoreCompleteFile));
  EXPECT_TRUE(cluster_->AwaitEvent("pod-target", "RestoreSucceeded"));
  // P5: and it can prove it.
  const auto proof = cluster_->Pod("pod-target");
  EXPECT_EQ(proof.Annotation(snapshot::kStartAnnotation), snapshot::kStartRestored);
  EXPECT_EQ(proof.Annotation(snapshot::kRestoredFromAnnotation), "lark/1");
  EXPECT_EQ(proof.Annotation(snapshot::kRestoredDigestAnnotation), artifact.RootHex());
  EXPECT_THAT(std::string(proof.Annotation(snapshot::kRestorePhasesAnnotation)),
              testing::MatchesRegex(".*[a-z_]+=[0-9]+\\.[0-9]{3}.*"));
}

// A116: the order fails, and nobody touches the container.
TEST_F(ClusterTest, APodWithoutAnIdIsNotCaptured) {
  cluster_->CreateSource("pod-nameless", "", [](json::Value& pod) {
    pod["metadata"]["labels"].Erase(snapshot::kCheckpointIdLabel);
  });
  UseUidOfPod("nameless");
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("nameless", 1, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  cluster_->Run("pod-nameless", {{.id = source.id}});
  Wish("nameless", "pod-nameless");
  ASSERT_OK(AwaitCondition("nameless", "Failed"));
  EXPECT_EQ(ReasonOf("nameless", "Failed"), "MissingCheckpointID");
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(source.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_FALSE(HasFile(source, snapshot::kSnapshotCompleteFile));
  EXPECT_FALSE(std::filesystem::exists(Path("storage/nameless")));
}

// A116: what was captured with a GPU does not come back without one, and the snapshot is none the
// worse for it.
TEST_F(ClusterTest, ASnapshotWithAGpuFailsInAPodWithoutOne) {
  cluster_->CreateSource("pod-gpu", "heron");
  UseUidOfPod("gpu");
  ASSERT_OK_AND_ASSIGN(const auto source, StartGpuWorkload("gpu"));
  ASSERT_OK(AskWorkload(source.socket).status());
  cluster_->Run("pod-gpu", {{.id = source.id}});
  Wish("heron", "pod-gpu");
  ASSERT_OK(AwaitCondition("heron", "Ready"));
  ASSERT_OK_AND_ASSIGN(const auto artifact,
                       snapshot::Artifact::Open(Path("storage/heron/versions/1")));
  ASSERT_TRUE(artifact.manifest().cuda);
  EXPECT_THAT(artifact.manifest().cuda->gpu_uuids, testing::ElementsAre(kGpu));

  cluster_->CreateRestore("pod-plain", "heron");
  UseUidOfPod("plain");
  ASSERT_OK_AND_ASSIGN(const auto target, rig_->Start("plain", {"/bin/workload", "standby"}));
  cluster_->Run("pod-plain", {{.id = target.id}});
  ASSERT_TRUE(cluster_->AwaitRestoreStatus("pod-plain", "main", "failed"));
  EXPECT_TRUE(cluster_->AwaitEvent("pod-plain", "RestoreFailed"));
  EXPECT_THAT(
      std::string(cluster_->Pod("pod-plain").Annotation(snapshot::kRestoreMessageAnnotation)),
      testing::HasSubstr("no GPU of container main"));
  EXPECT_EQ(cluster_->Pod("pod-plain").Annotation(snapshot::kStartAnnotation), "");
  EXPECT_FALSE(HasFile(target, snapshot::kRestoreCompleteFile));
  EXPECT_OK(AwaitCondition("heron", "Ready"));
  EXPECT_EQ(ReasonOf("heron", "Ready"), "Captured");
}

// What is under way needs no server; only then is it told.
TEST_F(ClusterTest, TheServerIsKilledWhileAContainerIsCaptured) {
  cluster_->CreateSource("pod-cut", "wren");
  UseUidOfPod("cut");
  ASSERT_OK_AND_ASSIGN(const auto source, StartGpuWorkload("cut"));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK_AND_ASSIGN(const int pid, PidOf(source));
  std::ofstream(Path("cuda/hold")) << fmt::format("checkpoint {}\n", pid);
  cluster_->Run("pod-cut", {{.id = source.id}});
  Wish("wren", "pod-cut");
  UniqueFd gate;
  ASSERT_TRUE(Until([&] {
    gate = UniqueFd(::open(Path("cuda/gate").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return gate.valid();
  })) << "the capture did not begin";
  plane_->KillApiServer();
  gate.reset();
  EXPECT_TRUE(
      Until([&] { return snapshot::Artifact::Open(Path("storage/wren/versions/1")).ok(); }));
  EXPECT_FALSE(HasFile(source, snapshot::kSnapshotCompleteFile)) << "nobody knows that it is Ready";
  ASSERT_OK(plane_->StartApiServer());
  ASSERT_OK(AwaitCondition("wren", "Ready"));
  EXPECT_TRUE(Until([&] { return HasFile(source, snapshot::kSnapshotCompleteFile); }));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(source.socket));
  EXPECT_EQ(after.token, before.token);
}

TEST_F(ClusterTest, TheServerIsKilledWhileAContainerIsRestored) {
  cluster_->CreateSource("pod-robin", "robin");
  UseUidOfPod("robin");
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("robin", 16, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  cluster_->Run("pod-robin", {{.id = source.id}});
  Wish("robin", "pod-robin");
  ASSERT_OK(AwaitCondition("robin", "Ready"));
  rig_->Kill(source);

  // Whoever restores enters it, and stands still there.
  cluster_->CreateRestore("pod-again", "robin");
  UseUidOfPod("again");
  ASSERT_OK_AND_ASSIGN(const auto target, rig_->Start("again", {"/bin/workload", "standby"}));
  ASSERT_OK_AND_ASSIGN(const int waiting, PidOf(target));
  ASSERT_OK(rig_->Pause(target));
  cluster_->Run("pod-again", {{.id = target.id}});
  ASSERT_TRUE(cluster_->AwaitRestoreStatus("pod-again", "main", "in_progress"));
  ASSERT_TRUE(Until([&] { return ProcessesBeside(waiting) > 1; })) << "nobody entered it";
  plane_->KillApiServer();
  ASSERT_OK(rig_->Resume(target));
  ASSERT_TRUE(Until([&] { return HasFile(target, snapshot::kRestoreCompleteFile); }));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(target.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  ASSERT_OK(plane_->StartApiServer());
  ASSERT_TRUE(cluster_->AwaitRestoreStatus("pod-again", "main", "completed"));
  EXPECT_TRUE(cluster_->AwaitEvent("pod-again", "RestoreSucceeded"));
  ASSERT_OK_AND_ASSIGN(const Spoken last, AskWorkload(target.socket));
  EXPECT_EQ(last.requests, after.requests + 1) << "it was restored once";
}

}  // namespace
}  // namespace hearth::node
