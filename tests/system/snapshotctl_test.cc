// snapshotctl against a real API server. The test plays the job controller, the kubelet and the
// snapshot operator: it makes pods and writes statuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/testing/sample_artifact.h"
#include "snapshot/ctl/exit_codes.h"
#include "snapshot/ctl/testing/run_snapshotctl.h"

namespace hearth::snapshot::ctl {
namespace {

using json::Value;
using kube::Object;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPod = R"(apiVersion: v1
kind: Pod
metadata:
  name: engine
  labels: {app: engine}
spec:
  containers:
  - name: main
    image: engine:1
    command: [/engine]
    livenessProbe: {exec: {command: [cat, /alive]}}
)";

const kube::ResourceType kJobs{"batch", "v1", "jobs", "Job", true};
const kube::ResourceType kDeployments{"apps", "v1", "deployments", "Deployment", true};
const kube::ResourceType kContents{"nvidia.com", "v1alpha1", "podsnapshotcontents",
                                   "PodSnapshotContent", false};
const kube::ResourceType kSnapshots{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot", true};

class SnapshotctlSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    InstallDefinition();
    ASSERT_OK_AND_ASSIGN(name_space_, plane_->NewNamespace("snapshotctl"));
    ASSERT_OK(RealFileSystem().Write(manifest(), kPod, 0600));
    loop_ = std::make_unique<net::EventLoop>("test");
    ASSERT_OK_AND_ASSIGN(
        transport_, kube::MakeHttpTransport(*loop_, plane_->config(), kube::ConfigSources::Real()));
    client_ = std::make_unique<kube::Client>(*transport_, RealClock());
  }

  // Once for all tests.
  void InstallDefinition() const {
    static bool installed = false;
    if (installed) {
      return;
    }
    for (const std::string name : {"podsnapshots", "podsnapshotcontents"}) {
      const std::string crds =
          fmt::format("{}/deploy/crds/nvidia.com_{}.yaml", HEARTH_SOURCE_DIR, name);
      ASSERT_OK(plane_->Kubectl({"apply", "--server-side", "-f", crds}));
      installed = Eventually([&] {
        return plane_
            ->Kubectl({"wait", "--for=condition=Established", "--timeout=20s",
                       "crd/" + name + ".nvidia.com"})
            .ok();
      });
      ASSERT_TRUE(installed);
    }
  }

  static WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }
  std::string manifest() const { return directory_ / "pod.yaml"; }

  Ran Ctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(),
                     {"--kubeconfig", plane_->kubeconfig_path(), "--namespace", name_space_});
    return RunSnapshotctl(arguments);
  }
  std::future<Ran> StartCheckpoint(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"checkpoint",  "--manifest", manifest(),
                                          "--container", "main",       "--checkpoint-id",
                                          "ckpt-1",      "--timeout",  "180s"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::async(std::launch::async, [this, arguments] { return Ctl(arguments); });
  }

  Result<Object> Get(const kube::ResourceType& type, const std::string& name) const {
    return client_->Get(type, {name_space_, name}, Enough());
  }
  // Waits until it is there.
  Object Await(const kube::ResourceType& type, const std::string& name) const {
    EXPECT_TRUE(Eventually([&] { return Get(type, name).ok(); })) << name;
    return Get(type, name).value_or(Object());
  }
  void Create(const kube::ResourceType& type, const Value& object) const {
    const json::Blob body = object.ToBlob();
    ASSERT_OK(client_->Create(type, name_space_, body.view(), Enough()));
  }

  // The pod of a job as its controller makes it, on a node unless that is empty. Its uid.
  std::string MakePodOf(const Object& job, const std::string& name, const std::string& node) const {
    Value pod = kube::NewObject(kube::types::Pods(), {name_space_, name});
    const json::View pod_template = job["spec"]["template"];
    pod["metadata"].Set("labels", Value(pod_template["metadata"]["labels"]));
    pod["metadata"]["labels"].Set("batch.kubernetes.io/job-name", job.meta().name());
    const kube::OwnerReference owner{"batch/v1",       "Job", job.meta().name(),
                                     job.meta().uid(), true,  true};
    pod["metadata"].Set("ownerReferences", Value::Array({owner.ToValue()}));
    pod.Set("spec", Value(pod_template["spec"]));
    if (!node.empty()) {
      pod["spec"].Set("nodeName", node);
    }
    Create(kube::types::Pods(), pod);
    return Get(kube::types::Pods(), name)->meta().uid();
  }

  // A content, without a label as all are, whose status names that artifact unless it is empty. Its
  // uid.
  std::string MakeContent(const std::string& checkpoint_id) const {
    const std::string name = name_space_ + "-" + (checkpoint_id.empty() ? "open" : checkpoint_id);
    Value content = kube::NewObject(kContents, {"", name});
    content["spec"].Set("snapshotRef",
                        Value::Object({{"namespace", name_space_}, {"name", "engine"}}));
    content["spec"].Set("source", Value::Object({{"nodeName", "node-a"},
                                                 {"podRef", Value::Object({{"name", "gone"}})}}));
    const json::Blob body = content.ToBlob();
    const auto made = client_->Create(kContents, "", body.view(), Enough());
    EXPECT_OK(made.status());
    if (!checkpoint_id.empty()) {
      Value patch = Value::Object();
      patch["status"]["artifact"].Set("checkpointID", checkpoint_id);
      const json::Blob status = patch.ToBlob();
      EXPECT_OK(client_->Patch(kContents, {"", name}, kube::PatchType::kMerge, status.view(),
                               Enough(), {.subresource = "status"}));
    }
    return made.ok() ? std::string(made->meta().uid()) : "";
  }

  // Conditions as the operator writes them: "Ready=True", reason and message.
  void SetConditions(const std::string& snapshot, bool ready, bool failed,
                     const std::string& reason, const std::string& message) const {
    const auto condition = [&](const char* type, bool yes) {
      return Value::Object({{"type", type},
                            {"status", yes ? "True" : "False"},
                            {"reason", reason},
                            {"message", message},
                            {"lastTransitionTime", "2026-11-16T00:00:00Z"}});
    };
    Value patch = Value::Object();
    patch["status"].Set("boundSnapshotContentName", "podsnapshotcontent-x");
    patch["status"].Set("conditions",
                        Value::Array({condition("Ready", ready), condition("Failed", failed)}));
    const json::Blob body = patch.ToBlob();
    ASSERT_OK(client_->Patch(kSnapshots, {name_space_, snapshot}, kube::PatchType::kMerge,
                             body.view(), Enough(), {.subresource = "status"}));
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::string name_space_;
  TempDirectory directory_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

// A112: the pod of this very job is pinned; Ready returns.
TEST_F(SnapshotctlSystemTest, CheckpointRunsAJobAndPinsItsPod) {
  std::future<Ran> ran = StartCheckpoint();
  const Object job = Await(kJobs, "engine-checkpoint");
  const json::View made = job["spec"]["template"];
  EXPECT_EQ(made["metadata"]["labels"]["app"].StringOr(""), "engine");
  EXPECT_EQ(made["spec"]["securityContext"]["seccompProfile"]["localhostProfile"].StringOr(""),
            "profiles/block-iouring.json");
  EXPECT_TRUE(made["spec"]["containers"].items().begin() !=
              made["spec"]["containers"].items().end());
  const std::string uid = MakePodOf(job, "engine-checkpoint-abc", "node-a");
  const Object snapshot = Await(kSnapshots, "engine-checkpoint");
  EXPECT_EQ(snapshot.meta().label("nvidia.com/snapshot-checkpoint-id"), "ckpt-1");
  const json::View pod = snapshot["spec"]["source"]["podRef"];
  EXPECT_EQ(pod["name"].StringOr(""), "engine-checkpoint-abc");
  EXPECT_EQ(pod["uid"].StringOr(""), uid);
  EXPECT_EQ(Value(pod["containers"]).Write(), R"(["main"])");
  SetConditions("engine-checkpoint", false, false, "Pending", "Waiting for node agent");
  SetConditions("engine-checkpoint", true, false, "Captured", "done");
  const Ran result = ran.get();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, fmt::format("status=completed\nnamespace={}\nname=engine\n"
                                    "checkpoint_job=engine-checkpoint\ncheckpoint_id=ckpt-1\n"
                                    "pod_snapshot=engine-checkpoint\n"
                                    "bound_content=podsnapshotcontent-x\n",
                                    name_space_));
  EXPECT_THAT(result.err, HasSubstr("pod engine-checkpoint-abc is on node node-a\n"));
  EXPECT_TRUE(Get(kJobs, "engine-checkpoint").ok()) << "the workload ends by itself";
}

// A112: a pod of an earlier job of the name is not taken, and one without a node is waited for.
TEST_F(SnapshotctlSystemTest, OnlyTheScheduledPodOfThisJobIsTaken) {
  std::future<Ran> ran = StartCheckpoint({"-o", "json"});
  const Object job = Await(kJobs, "engine-checkpoint");
  Value stranger = kube::NewObject(kube::types::Pods(), {name_space_, "stranger"});
  stranger["metadata"]["labels"].Set("batch.kubernetes.io/job-name", "engine-checkpoint");
  stranger.Set("spec", Value(job["spec"]["template"]["spec"]));
  stranger["spec"].Set("nodeName", "node-b");
  Create(kube::types::Pods(), stranger);
  MakePodOf(job, "mine", "");
  EXPECT_CODE(Code::kNotFound, Get(kSnapshots, "engine-checkpoint"));
  Value binding = Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
  binding["metadata"].Set("name", "mine");
  binding.Set("target", Value::Object({{"kind", "Node"}, {"name", "node-a"}}));
  const json::Blob body = binding.ToBlob();
  ASSERT_OK(client_->CreateSubresource(kube::types::Pods(), {name_space_, "mine"}, body.view(),
                                       Enough(), {.subresource = "binding"}));
  const Object snapshot = Await(kSnapshots, "engine-checkpoint");
  EXPECT_EQ(snapshot["spec"]["source"]["podRef"]["name"].StringOr(""), "mine");
  SetConditions("engine-checkpoint", true, false, "Captured", "done");
  const Value facts = ran.get().Json();
  EXPECT_EQ(facts.Find("status")->string(), "completed");
  EXPECT_EQ(facts.Find("checkpoint_id")->string(), "ckpt-1");
}

// A112: a failure has reason and message. W19: the job goes for good, with its pod: had the server
// been left its default, the job would stay until somebody orphaned the pod.
TEST_F(SnapshotctlSystemTest, AFailedSnapshotIsToldAndTheJobGoesWithItsPod) {
  std::future<Ran> ran = StartCheckpoint();
  MakePodOf(Await(kJobs, "engine-checkpoint"), "pod", "node-a");
  Await(kSnapshots, "engine-checkpoint");
  SetConditions("engine-checkpoint", false, true, "CaptureFailed", "io_uring is open");
  const Ran result = ran.get();
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("failed: CaptureFailed: io_uring is open\n"));
  EXPECT_CODE(Code::kNotFound, Get(kJobs, "engine-checkpoint"));
  EXPECT_TRUE(Get(kSnapshots, "engine-checkpoint").ok()) << "stays for whoever wants to know";
}

// A112: what is there already is told.
TEST_F(SnapshotctlSystemTest, WhatIsThereAlreadyIsLeftAloneAndTold) {
  Value snapshot = kube::NewObject(kSnapshots, {name_space_, "engine-checkpoint"});
  snapshot.MakePath("spec.source.podRef") =
      Value::Object({{"name", "x"}, {"containers", Value::Array({Value("main")})}});
  Create(kSnapshots, snapshot);
  std::future<Ran> ran = StartCheckpoint();
  MakePodOf(Await(kJobs, "engine-checkpoint"), "pod", "node-a");
  EXPECT_THAT(ran.get().err, HasSubstr("PodSnapshot " + name_space_ +
                                       "/engine-checkpoint already exists: delete it"));
  EXPECT_CODE(Code::kNotFound, Get(kJobs, "engine-checkpoint"));

  std::future<Ran> first = StartCheckpoint();
  Await(kJobs, "engine-checkpoint");
  const Ran second = StartCheckpoint().get();
  EXPECT_EQ(second.code, kExitFailed);
  EXPECT_THAT(second.err, HasSubstr("already exists"));
  EXPECT_TRUE(Get(kJobs, "engine-checkpoint").ok()) << "it is the first one's";
  ASSERT_OK(client_->Delete(kSnapshots, {name_space_, "engine-checkpoint"}, Enough()));
  MakePodOf(Await(kJobs, "engine-checkpoint"), "pod-2", "node-a");
  Await(kSnapshots, "engine-checkpoint");
  ASSERT_OK(client_->Delete(kSnapshots, {name_space_, "engine-checkpoint"}, Enough()));
  EXPECT_THAT(first.get().err, HasSubstr("was deleted meanwhile"));
}

// A112: deadlines name the job, the pod without a node, and the snapshot.
TEST_F(SnapshotctlSystemTest, DeadlinesNameWhatWasWaitedFor) {
  EXPECT_THAT(StartCheckpoint({"--timeout", "3s"}).get().err,
              HasSubstr("there was no pod of job " + name_space_ + "/engine-checkpoint in time"));
  std::future<Ran> unscheduled = StartCheckpoint({"--timeout", "12s"});
  MakePodOf(Await(kJobs, "engine-checkpoint"), "stuck", "");
  EXPECT_THAT(unscheduled.get().err,
              HasSubstr("pod stuck was put on no node of job " + name_space_));
  std::future<Ran> unready = StartCheckpoint({"--timeout", "12s"});
  MakePodOf(Await(kJobs, "engine-checkpoint"), "slow", "node-a");
  Await(kSnapshots, "engine-checkpoint");
  SetConditions("engine-checkpoint", false, false, "Pending", "Waiting for node agent");
  EXPECT_THAT(unready.get().err,
              HasSubstr("was not ready in time (Pending: Waiting for node agent)"));
}

TEST_F(SnapshotctlSystemTest, RestoreMakesAPodThatStandsBy) {
  const Ran ran = Ctl(
      {"restore", "--manifest", manifest(), "--containers", "main", "--checkpoint-id", " ckpt-1 "});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, fmt::format("status=requested\nnamespace={}\nname=engine\n"
                                 "restore_pod=engine\ncheckpoint_id=ckpt-1\n",
                                 name_space_));
  const Object pod = Get(kube::types::Pods(), "engine").value();
  EXPECT_EQ(pod.meta().label("nvidia.com/snapshot-is-restore-target"), "true");
  EXPECT_EQ(pod.meta().label("nvidia.com/snapshot-checkpoint-id"), "ckpt-1");
  EXPECT_EQ(pod.meta().annotation("nvidia.com/snapshot-target-containers"), "main");
  EXPECT_THAT(Ctl({"restore", "--manifest", manifest(), "--containers", "main", "--checkpoint-id",
                   "ckpt-1"})
                  .err,
              HasSubstr("restore pod " + name_space_ + "/engine already exists"));
}

// W18: a pod that was restored once is restored again: what was said of the first time is removed.
TEST_F(SnapshotctlSystemTest, RestoreIntoAPodRemovesWhatAnEarlierOneLeft) {
  ASSERT_EQ(Ctl({"restore", "--manifest", manifest(), "--containers", "main", "--checkpoint-id",
                 "ckpt-1"})
                .code,
            0);
  ASSERT_OK(plane_->Kubectl({"-n", name_space_, "annotate", "pod", "engine",
                             "nvidia.com/snapshot-restore-status.main=completed",
                             "nvidia.com/snapshot-restore-container-id.main=abc",
                             "example.com/own=kept"}));
  const Ran ran = Ctl({"restore", "--pod", "engine", "--checkpoint-id", "ckpt-2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Object pod = Get(kube::types::Pods(), "engine").value();
  EXPECT_EQ(pod.meta().label("nvidia.com/snapshot-checkpoint-id"), "ckpt-2");
  EXPECT_EQ(pod.meta().annotation("nvidia.com/snapshot-restore-status.main"), std::nullopt);
  EXPECT_EQ(pod.meta().annotation("nvidia.com/snapshot-restore-container-id.main"), std::nullopt);
  EXPECT_EQ(pod.meta().annotation("example.com/own"), "kept");
}

TEST_F(SnapshotctlSystemTest, RestoreIntoAPodThatCannotBeRestoredIntoSaysWhatIsMissing) {
  Value pod = kube::NewObject(kube::types::Pods(), {name_space_, "plain"});
  pod["spec"].Set("containers", Value::Array({Value::Object({{"name", "main"}, {"image", "i"}})}));
  Create(kube::types::Pods(), pod);
  const Ran ran =
      Ctl({"restore", "--pod", "plain", "--containers", "main", "--checkpoint-id", "ckpt-1"});
  EXPECT_EQ(ran.code, kExitFailed);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("pod " + name_space_ + "/plain cannot be restored into"),
                             HasSubstr("missing snapshot-control emptyDir volume")));
  EXPECT_EQ(Get(kube::types::Pods(), "plain")->meta().label("nvidia.com/snapshot-checkpoint-id"),
            std::nullopt);
  EXPECT_THAT(
      Ctl({"restore", "--pod", "absent", "--containers", "main", "--checkpoint-id", "c"}).err,
      HasSubstr(name_space_ + "/absent"));
}

// The label is optional, and the pod that had it is gone after the capture.
TEST_F(SnapshotctlSystemTest, CollectingKeepsWhatASnapshotWithoutALabelHolds) {
  ASSERT_OK_AND_ASSIGN(const StorageLayout store, StorageLayout::Create(directory_ / "store"));
  for (const char* const id : {"held", "owned", "made-into", "forgotten"}) {
    Manifest manifest = SampleManifest(id);
    manifest.created_at = RealClock().WallNow() - std::chrono::hours(48);
    manifest.content_uid = std::string(id) == "owned" ? MakeContent("") : "";
    ASSERT_OK(PublishSample(RealFileSystem(), store, manifest, {{"x.img", "x"}}));
  }
  ASSERT_OK(RealFileSystem().Remove(*store.Artifact("owned", "1") + "/x.img"));  // and damaged
  MakeContent("held");
  Value deployment = kube::NewObject(kDeployments, {name_space_, "engines"});
  const Value labels = Value::Object({{"nvidia.com/snapshot-checkpoint-id", "made-into"}});
  deployment["spec"]["selector"].Set("matchLabels", labels);
  deployment["spec"].Set("replicas", 0);
  deployment["spec"]["template"]["metadata"].Set("labels", labels);
  deployment["spec"]["template"]["spec"].Set(
      "containers", Value::Array({Value::Object({{"name", "main"}, {"image", "engine:1"}})}));
  Create(kDeployments, deployment);
  const Ran ran = RunSnapshotctl({"gc", "--older-than", "24h", "--storage", store.base(),
                                  "--kubeconfig", plane_->kubeconfig_path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 removed, "));
  for (const char* const id : {"held", "owned", "made-into"}) {
    EXPECT_TRUE(PeekManifest(*store.Artifact(id, "1")).ok()) << id << "\n" << ran.out;
  }
  EXPECT_CODE(Code::kNotFound, Artifact::Open(*store.Artifact("forgotten", "1")));
}

}  // namespace
}  // namespace hearth::snapshot::ctl
