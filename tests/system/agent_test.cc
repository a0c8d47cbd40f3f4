// The agent of a node against a real kube-apiserver, under the rights of deploy/agent; what it does
// to the node is a stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "agent/node/testing/agent_rig.h"
#include "agent/node/testing/cluster.h"
#include "agent/node/testing/node_stand_in.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "http/client.h"
#include "json/yaml.h"
#include "kube/config/credentials.h"
#include "kube/testing/control_plane.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"
#include "snapshot/protocol/start_proof.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAgents = "hearth-system";

std::string Deployed(const std::string& file) {
  return std::string(HEARTH_SOURCE_DIR) + "/deploy/" + file;
}

class AgentSystem : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    Install();
    if (HasFatalFailure()) {
      return;
    }
    const auto name_space = plane_->NewNamespace("snapshots");
    ASSERT_OK(name_space);
    node_name_ = "node-of-" + *name_space;  // tests do not see each other's orders
    own_ = Connect(plane_->config());
    cluster_ = std::make_unique<Cluster>(*own_, *name_space, node_name_);
    agents_ = Connect(agent_config_);
  }

  // Once: definitions, the agents' namespace and account, a token of that account.
  void Install() {
    if (!agent_config_.server.host.empty()) {
      return;
    }
    for (const char* crd :
         {"crds/nvidia.com_podsnapshotcontents.yaml", "crds/nvidia.com_podsnapshots.yaml"}) {
      ASSERT_OK(plane_->Kubectl({"apply", "-f", Deployed(crd)}));
    }
    // Asked too early, before there are conditions at all, kubectl fails instead of waiting.
    ASSERT_TRUE(Until([&] {
      return plane_
          ->Kubectl({"wait", "--for=condition=Established", "--timeout=30s", "crd",
                     "podsnapshotcontents.nvidia.com", "podsnapshots.nvidia.com"})
          .ok();
    }));
    static_cast<void>(plane_->Kubectl({"create", "namespace", kAgents}));
    ASSERT_OK(plane_->Kubectl({"apply", "-f", Deployed("agent/rbac.yaml")}));
    const auto token = plane_->Kubectl({"create", "token", "snapshot-agent", "-n", kAgents});
    ASSERT_OK(token);
    agent_config_ = plane_->config();
    agent_config_.credentials = kube::StaticToken(std::string(Trim(*token)));
  }

  std::unique_ptr<kube::Transport> Connect(const kube::Config& config) {
    auto transport = kube::MakeHttpTransport(loop_, config, kube::ConfigSources::Real());
    EXPECT_OK(transport);
    return *std::move(transport);
  }
  AgentOptions Options() const {
    AgentOptions options = AgentRig::TestOptions();
    options.node = node_name_;
    options.name_space = kAgents;
    return options;
  }
  std::unique_ptr<AgentRig> NewAgent() { return NewAgent(Options()); }
  std::unique_ptr<AgentRig> NewAgent(const AgentOptions& options) {
    return std::make_unique<AgentRig>(*agents_, node_, options);
  }
  // A pod that is ready to be captured and an order for it, named like the pod.
  ContentFacts Order(const std::string& pod = "source", const Cluster::Change& change = {}) {
    cluster_->CreateSource(pod, Id(pod));
    cluster_->Run(pod, {{.id = "c-" + pod}});
    return cluster_->CreateContent(Name(pod), cluster_->Pod(pod), change);
  }
  std::string Name(const std::string& pod) const { return cluster_->name_space() + "-" + pod; }
  // Artifacts are the same for all namespaces, and so is their lease.
  std::string Id(const std::string& pod) const { return Name(pod); }

  static kube::Config agent_config_;
  kube::TestControlPlane* plane_ = nullptr;
  std::string node_name_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> own_;
  std::unique_ptr<kube::Transport> agents_;
  std::unique_ptr<Cluster> cluster_;
  NodeState node_;
};
kube::Config AgentSystem::agent_config_;

TEST_F(AgentSystem, CapturesAndReleases) {
  const ContentFacts order = Order();
  const auto agent = NewAgent();
  agent->work().capture_result.cold_start = std::chrono::milliseconds(93250);
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  EXPECT_TRUE(cluster_->Lease(cluster_->name_space(), "checkpoint-lease-" + Id("source")));
  EXPECT_EQ(cluster_->Pod("source").Label(snapshot::kEligibleLabel), "true");
  agent->work().Unblock("Capture");
  ASSERT_TRUE(cluster_->AwaitReady(Name("source")));
  node_.Await("write c-source snapshot-complete");
  const auto content = cluster_->Content(Name("source"));
  EXPECT_EQ(content->artifact_id, Id("source")) << "the server pruned it";
  ASSERT_OK_AND_ASSIGN(const auto stored,
                       cluster_->client().Get(Contents(), {"", Name("source")}, cluster_->Limit()));
  EXPECT_EQ(stored.view()["status"]["artifact"]["coldStartMilliseconds"].Int(), 93250);
  EXPECT_EQ(agent->work().captures().at(0).content_uid, order.uid);
  EXPECT_TRUE(cluster_->AwaitEvent("source", "CheckpointCaptured"));
  EXPECT_TRUE(Until([&] {
    return !cluster_->Lease(cluster_->name_space(), "checkpoint-lease-" + Id("source"));
  }));
  EXPECT_OK(agent->Stop());
}

TEST_F(AgentSystem, RestoresIntoEveryTarget) {
  node_.Store("lark", "1", {true, "content-uid", cluster_->name_space(), "digest-1", 100});
  cluster_->CreateRestore("pod", "lark", "main,second", [](json::Value& pod) {
    pod["spec"]["containers"].Append(
        json::Value::Object({{"name", "second"}, {"image", "registry.example/engine:1"}}));
  });
  const auto agent = NewAgent();
  agent->Start();
  cluster_->Run("pod", {{.id = "c1"}, {.name = "second", .id = "c2"}});
  EXPECT_TRUE(cluster_->AwaitSum("pod", "completed"));
  EXPECT_EQ(cluster_->RestoreStatus("pod", "main"), "completed");
  EXPECT_EQ(cluster_->RestoreStatus("pod", "second"), "completed");
  EXPECT_TRUE(node_.HasFile("c1", snapshot::kRestoreCompleteFile));
  EXPECT_TRUE(node_.HasFile("c2", snapshot::kRestoreCompleteFile));
  EXPECT_TRUE(cluster_->AwaitEvent("pod", "RestoreRequested"));
  EXPECT_TRUE(cluster_->AwaitEvent("pod", "RestoreSucceeded"));
  // P5
  EXPECT_EQ(cluster_->Pod("pod").Annotation(snapshot::kStartAnnotation), "restored");
  EXPECT_EQ(cluster_->Pod("pod").Annotation(snapshot::kRestoredFromAnnotation), "lark/1");
  EXPECT_EQ(cluster_->Pod("pod").Annotation(snapshot::kRestoredDigestAnnotation), "digest-1");
  // A container that is started again is restored again.
  cluster_->Run("pod", {{.id = "c1"}, {.name = "second", .id = "c3"}});
  node_.Await("restore lark/1 c3");
  EXPECT_TRUE(cluster_->AwaitSum("pod", "completed"));
  EXPECT_EQ(node_.Count("restore lark/1 c1"), 1U);
}

// W17, S3: told on the pod, under the agent's own rights.
TEST_F(AgentSystem, WhatCannotBeRestoredIsToldOnThePod) {
  node_.Store("lark", "1", {true, "content-uid", "another-namespace", "digest-1", 100});
  cluster_->CreateRestore("foreign", "lark");
  cluster_->Run("foreign", {{.id = "c1"}});
  cluster_->CreateRestore("unnamed", "lark", "");
  cluster_->Run("unnamed", {{.id = "c2"}});
  const auto agent = NewAgent();
  agent->Start();
  for (const char* pod : {"foreign", "unnamed"}) {
    EXPECT_TRUE(cluster_->AwaitSum(pod, "failed")) << pod;
    EXPECT_TRUE(cluster_->AwaitEvent(pod, "RestoreRejected")) << pod;
  }
  EXPECT_EQ(agent->work().calls("Restore"), 0);
}

// The agent is killed before and after each of its writes and deeds, and another comes.
TEST_F(AgentSystem, KilledAtAnyStepOfACapture) {
  bool completed = false;
  for (int step = 0; !completed; ++step) {
    const std::string pod = "s" + std::to_string(step);
    SCOPED_TRACE("killed at step " + std::to_string(step));
    Order(pod);
    const std::string container = "c-" + pod;
    AgentOptions options = Options();
    options.lease_duration = 1s;  // the second waits for its end
    const auto first = NewAgent(options);
    first->DieAtStep(step);
    first->Start();
    ASSERT_TRUE(Until([&] {
      return first->steps() > step || (node_.HasFile(container, snapshot::kSnapshotCompleteFile) &&
                                       first->agent().running() == 0);
    }));
    completed = first->steps() <= step;
    SCOPED_TRACE(first->last_step());
    first->Die();
    const auto second = NewAgent();
    second->Start();
    if (first->last_step() == "amid Capture") {
      // Nobody knows the state that it is in.
      ASSERT_TRUE(cluster_->AwaitFailed(Name(pod), "CaptureInterrupted")) << second->Log();
      EXPECT_TRUE(node_.Killed(container));
      EXPECT_FALSE(node_.HasFile(container, snapshot::kSnapshotCompleteFile));
    } else {
      ASSERT_TRUE(cluster_->AwaitReady(Name(pod))) << second->Log();
      node_.Await("write " + container + " snapshot-complete");
      EXPECT_FALSE(node_.Killed(container));
      EXPECT_EQ(node_.Count("capture " + Id(pod) + "/1 " + container), 1U);
    }
    // The next agents are not to find anything to do about it.
    cluster_->DeletePod(pod);
    cluster_->DeleteContent(Name(pod));
    ASSERT_LT(step, 60) << "it never ends";
  }
}

TEST_F(AgentSystem, KilledAtAnyStepOfARestore) {
  node_.Store("lark", "1", {true, "content-uid", cluster_->name_space(), "digest-1", 100});
  bool completed = false;
  for (int step = 0; !completed; ++step) {
    const std::string pod = "p" + std::to_string(step);
    SCOPED_TRACE("killed at step " + std::to_string(step));
    cluster_->CreateRestore(pod, "lark");
    cluster_->Run(pod, {{.id = "c-" + pod}});
    const auto first = NewAgent();
    first->DieAtStep(step);
    first->Start();
    ASSERT_TRUE(Until([&] {
      return first->steps() > step ||
             cluster_->Pod(pod).Annotation(snapshot::kRestoreStatusAnnotation) == "completed";
    }));
    completed = first->steps() <= step;
    SCOPED_TRACE(first->last_step());
    first->Die();
    const bool let_go = node_.HasFile("c-" + pod, snapshot::kRestoreCompleteFile);
    const std::string restore = "restore lark/1 c-" + pod;
    const size_t restored = node_.Count(restore);
    const auto second = NewAgent();
    second->Start();
    ASSERT_TRUE(cluster_->AwaitSum(pod, "completed")) << second->Log();
    EXPECT_TRUE(node_.HasFile("c-" + pod, snapshot::kRestoreCompleteFile));
    EXPECT_LE(node_.Count(restore), let_go ? restored : 2U) << "restored over what runs";
    ASSERT_LT(step, 60) << "it never ends";
  }
}

TEST_F(AgentSystem, TheServerGoesAwayWhileItCaptures) {
  Order();
  AgentOptions options = Options();
  options.lease_duration = 120s;  // longer than the server is away
  const auto agent = NewAgent(options);
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  plane_->KillApiServer();
  agent->work().Unblock("Capture");
  node_.Await("capture " + Id("source") + "/1 c-source");
  EXPECT_FALSE(node_.HasFile("c-source", snapshot::kSnapshotCompleteFile))
      << "released before it was ready";
  ASSERT_OK(plane_->StartApiServer());
  ASSERT_TRUE(cluster_->AwaitReady(Name("source")));
  node_.Await("write c-source snapshot-complete");
  EXPECT_EQ(node_.Count("capture " + Id("source") + "/1 c-source"), 1U);
  EXPECT_FALSE(node_.Killed("c-source"));
}

TEST_F(AgentSystem, ALeaseThatIsTakenOverEndsTheCapture) {
  Order();
  const auto agent = NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  const std::string lease = "checkpoint-lease-" + Id("source");
  // Until it is ours: renewals of the agent come in between.
  ASSERT_TRUE(Until([&] {
    auto current = cluster_->Lease(cluster_->name_space(), lease);
    if (!current) {
      return false;
    }
    json::Value taken = current->ToValue();
    taken["spec"].Set("holderIdentity", "snapshot-agent/other");
    const std::string body = taken.Write();
    return cluster_->client()
        .Update(kube::types::Leases(), {cluster_->name_space(), lease}, json::View::Trusted(body),
                cluster_->Limit())
        .ok();
  }));
  EXPECT_TRUE(cluster_->AwaitFailed(Name("source"), "LeaseCancelled"));
  node_.Await("kill c-source");
  EXPECT_FALSE(node_.HasFile("c-source", snapshot::kSnapshotCompleteFile));
}

TEST_F(AgentSystem, AnOrderIsDeletedWhileItIsCaptured) {
  Order("source", [](json::Value& content) {
    content["metadata"].Set("finalizers",
                            json::Value::Array({std::string(snapshot::kArtifactFinalizer)}));
  });
  const auto agent = NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster_->DeleteContent(Name("source"));
  node_.Await("kill c-source");
  EXPECT_TRUE(cluster_->AwaitContent(
      Name("source"), [](const ContentFacts& facts) { return facts.artifact_deleted; }));
  EXPECT_FALSE(cluster_->Content(Name("source"))->ready);
  EXPECT_FALSE(node_.Find(Id("source"), "1").present);
  ASSERT_OK(plane_->Kubectl({"patch", "podsnapshotcontent", Name("source"), "--type=merge", "-p",
                             R"({"metadata":{"finalizers":null}})"}));
}

// Somebody else writes to the same status all the time.
TEST_F(AgentSystem, ConflictingWritersDoNotKeepItFromBeingReady) {
  Order();
  const auto agent = NewAgent();
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; !done; ++i) {
      json::Value patch;
      patch["metadata"]["annotations"].Set("example.com/turn", std::to_string(i));
      const std::string body = patch.Write();
      static_cast<void>(cluster_->client().Patch(Contents(), {"", Name("source")},
                                                 kube::PatchType::kMerge, json::View::Trusted(body),
                                                 cluster_->Limit()));
    }
  });
  agent->Start();
  EXPECT_TRUE(cluster_->AwaitReady(Name("source")));
  done = true;
  writer.join();
  node_.Await("write c-source snapshot-complete");
}

TEST_F(AgentSystem, ShowsThatItIsAlive) {
  const auto agent = NewAgent();
  agent->Start();
  const std::string lease = snapshot::AgentLeaseName(node_name_);
  const auto renewed = [&] {
    const auto found = cluster_->Lease(kAgents, lease);
    return found ? found->view()["spec"]["renewTime"].StringOr("") : "";
  };
  ASSERT_TRUE(Until([&] { return !renewed().empty(); }));
  const auto found = cluster_->Lease(kAgents, lease);
  EXPECT_EQ(found->view()["spec"]["holderIdentity"].StringOr(""), node_name_);
  EXPECT_EQ(found->meta().label(snapshot::kComponentLabel), snapshot::kAgentComponent);
  const std::string before = renewed();
  EXPECT_TRUE(Until([&] { return renewed() != before; }));
  EXPECT_OK(agent->Stop());
  EXPECT_TRUE(cluster_->Lease(kAgents, lease)) << "a rolling update is no death";
}

// Nothing that the account may do beyond what it needs.
TEST_F(AgentSystem, HasNoRightsBeyondItsWork) {
  const auto may = [&](std::vector<std::string> what) {
    std::vector<std::string> arguments = {
        "auth", "can-i", "--as",
        std::string("system:serviceaccount:") + kAgents + ":snapshot-agent"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    const auto answer = plane_->Kubectl(arguments);
    return answer.ok() && Trim(*answer) == "yes";
  };
  EXPECT_TRUE(may({"patch", "pods", "-A"}));
  EXPECT_TRUE(may({"get", "resourceclaims", "-A"}));
  for (const auto& [verb, resource] :
       std::vector<std::pair<std::string, std::string>>{{"create", "pods"},
                                                        {"delete", "pods"},
                                                        {"update", "pods"},
                                                        {"get", "secrets"},
                                                        {"create", "pods/exec"},
                                                        {"patch", "podsnapshotcontents"},
                                                        {"delete", "podsnapshotcontents"},
                                                        {"get", "podsnapshots"},
                                                        {"list", "leases"},
                                                        {"list", "resourceclaims"},
                                                        {"patch", "resourceclaims"},
                                                        {"create", "resourceslices"},
                                                        {"patch", "nodes"}}) {
    EXPECT_FALSE(may({verb, resource, "-A"})) << verb << " " << resource;
  }
}

}  // namespace
}  // namespace hearth::agent::node
