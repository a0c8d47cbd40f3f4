// Snapshots against a real API server, with the operator's own rights: what happens, and what
// happens when something goes wrong in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "operator_in_process.h"
#include "snapshot/protocol/names.h"
#include "snapshot_cluster.h"

namespace hearth {
namespace {

using namespace std::chrono_literals;
using json::Value;
using snapshot::PodSnapshotContents;
using snapshot::PodSnapshots;

const Value kDelete = Value::Object({{std::string(snapshot::kDeletionPolicyAnnotation), "Delete"}});
const Value kArtifact = Value::Object(
    {{"checkpointID", "llama"}, {"version", "1"}, {"sizeBytes", 42}, {"digest", "abc"}});

class SnapshotOperator : public testing::Test {
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
  }

  OperatorInProcess& Begin(snapshot::SnapshotControllerOptions options = {}) {
    operator_ = std::make_unique<OperatorInProcess>(*cluster_, options);
    operator_->Start();
    return *operator_;
  }

  static http::Response Failure(int code, const std::string& reason) {
    http::Response response;
    response.status = code;
    response.headers.Set("Content-Type", "application/json");
    response.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
                    R"(","code":)" + std::to_string(code) + R"(,"message":"made up by the test"})";
    return response;
  }
  static FaultyTransport::Which Asks(std::string method, std::string part) {
    return [method = std::move(method), part = std::move(part)](const http::Request& request) {
      return request.method == method && request.target.find(part) != std::string::npos;
    };
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::unique_ptr<SnapshotCluster> cluster_;
  std::unique_ptr<OperatorInProcess> operator_;
  std::string node_;
};

// A96, A98, A99, A102 in one life.
TEST_F(SnapshotOperator, ASnapshotLivesAndLeavesNothingBehind) {
  Begin();
  const std::string uid = cluster_->Wish("warm", "worker");
  const std::string content = cluster_->AwaitBound("warm");
  EXPECT_EQ(content, "podsnapshotcontent-" + uid);
  const auto made = cluster_->Content(content);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->meta().label(snapshot::kNodeLabel), node_);
  EXPECT_TRUE(made->meta().finalizers().empty());
  EXPECT_FALSE(made->meta().annotations().exists());
  EXPECT_TRUE(made->view()["spec"]["source"]["podRef"]["containers"].at(0).Equals("main"));

  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "False Pending"));
  cluster_->Tell(content, "Ready", "True", "Captured", kArtifact);
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  EXPECT_EQ(cluster_->Condition("warm", "Failed"), "False Captured");
  EXPECT_TRUE(cluster_->AwaitEvent("Captured"));

  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
  EXPECT_EQ(cluster_->CountContents(), 0U);
  EXPECT_OK(operator_->Stop());
}

// W15
TEST_F(SnapshotOperator, APodIsCapturedAsSoonAsItIsScheduled) {
  Begin();
  cluster_->AddPod("late", "");
  cluster_->Wish("warm", "late");
  ASSERT_TRUE(cluster_->AwaitEvent("WaitingForNode"));
  cluster_->Schedule("late", node_);
  EXPECT_FALSE(cluster_->AwaitBound("warm").empty());
}

// W12
TEST_F(SnapshotOperator, ANodeMayHaveALongName) {
  Begin();
  const std::string node = node_ + "." + std::string(60, 'x') + ".example.com";
  cluster_->AddNode(node);
  cluster_->AddPod("far", node);
  cluster_->Wish("warm", "far");
  const auto content = cluster_->Content(cluster_->AwaitBound("warm"));
  ASSERT_TRUE(content.has_value());
  EXPECT_TRUE(content->view()["spec"]["source"]["nodeName"].Equals(node));
}

// A97: each refusal, as a condition with its reason.
TEST_F(SnapshotOperator, WhatCannotBeIsRefused) {
  cluster_->Wish("nobody", "no-such-pod");
  const std::string uid = cluster_->Wish("taken", "worker");
  Value foreign = kube::NewObject(PodSnapshotContents(), {"", "podsnapshotcontent-" + uid});
  foreign.MakePath("spec.snapshotRef") =
      Value::Object({{"namespace", cluster_->name_space()}, {"name", "other"}, {"uid", "u"}});
  foreign.MakePath("spec.source") =
      Value::Object({{"podRef", Value::Object({{"name", "worker"}})}, {"nodeName", node_}});
  Value stale = kube::NewObject(PodSnapshots(), {cluster_->name_space(), "stale"});
  stale.MakePath("spec.source.podRef") = Value::Object(
      {{"name", "worker"}, {"uid", "of-an-older-pod"}, {"containers", Value::Array({"main"})}});
  const json::Blob content = foreign.ToBlob();
  const json::Blob snapshot = stale.ToBlob();
  ASSERT_OK(cluster_->client().Create(PodSnapshotContents(), "", content.view(),
                                      SnapshotCluster::Limit()));
  ASSERT_OK(cluster_->client().Create(PodSnapshots(), cluster_->name_space(), snapshot.view(),
                                      SnapshotCluster::Limit()));
  Begin();
  EXPECT_TRUE(cluster_->AwaitCondition("nobody", "Failed", "True SourcePodNotFound"));
  EXPECT_TRUE(cluster_->AwaitCondition("stale", "Failed", "True StalePodReference"));
  EXPECT_TRUE(cluster_->AwaitCondition("taken", "Failed", "True ContentConflict"));
  EXPECT_TRUE(cluster_->AwaitEvent("ContentConflict"));
  cluster_->Forget("taken");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("taken"); }));
}

// A98: the operator dies between the content and the status.
TEST_F(SnapshotOperator, AContentThatWasNotWrittenDownIsAdopted) {
  OperatorInProcess& first = Begin();
  first.faults().AnswerNext(1000, Failure(500, "InternalError"), Asks("PATCH", "/warm/status"));
  cluster_->Wish("warm", "worker");
  ASSERT_TRUE(Eventually([&] { return cluster_->CountContents() == 1; }));
  operator_.reset();
  ASSERT_EQ(cluster_->Bound("warm"), "");
  Begin();
  cluster_->Tell(cluster_->AwaitBound("warm"), "Ready", "True", "Captured");
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  EXPECT_EQ(cluster_->CountContents(), 1U);
}

// The same, and the snapshot is deleted before anybody is back.
TEST_F(SnapshotOperator, AContentThatWasNotWrittenDownLeavesWithItsSnapshot) {
  OperatorInProcess& first = Begin();
  first.faults().AnswerNext(1000, Failure(500, "InternalError"), Asks("PATCH", "/warm/status"));
  cluster_->Wish("warm", "worker");
  ASSERT_TRUE(Eventually([&] { return cluster_->CountContents() == 1; }));
  operator_.reset();
  cluster_->Forget("warm");
  Begin();
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
  EXPECT_EQ(cluster_->CountContents(), 0U);
}

// W14
TEST_F(SnapshotOperator, AContentDeletedByHandFailsTheSnapshot) {
  Begin();
  cluster_->Wish("warm", "worker");
  const std::string content = cluster_->AwaitBound("warm");
  ASSERT_OK(
      cluster_->client().Delete(PodSnapshotContents(), {"", content}, SnapshotCluster::Limit()));
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Failed", "True ContentLost"));
}

// A101, and the other ways of a server to say no.
TEST_F(SnapshotOperator, FailuresOfTheServerAreOutlived) {
  OperatorInProcess& running = Begin();
  const struct {
    int code;
    const char* reason;
    const char* method;
    const char* part;
  } kFaults[] = {
      {500, "InternalError", "POST", "/podsnapshotcontents"},
      {403, "Forbidden", "POST", "/podsnapshotcontents"},
      {409, "Conflict", "PATCH", "/podsnapshots/"},
      {500, "InternalError", "PATCH", "/status"},
      {503, "ServiceUnavailable", "PATCH", "/podsnapshots/"},
      {429, "TooManyRequests", "POST", "/podsnapshotcontents"},
  };
  for (const auto& fault : kFaults) {
    const std::string name = "w" + std::to_string(&fault - kFaults);
    running.faults().AnswerNext(2, Failure(fault.code, fault.reason),
                                Asks(fault.method, fault.part));
    cluster_->Wish(name, "worker");
    const std::string content = cluster_->AwaitBound(name);
    cluster_->Tell(content, "Ready", "True", "Captured");
    EXPECT_TRUE(cluster_->AwaitCondition(name, "Ready", "True Captured")) << fault.reason;
  }
  EXPECT_TRUE(cluster_->AwaitEvent("SnapshotContentCreateFailed"));
}

TEST_F(SnapshotOperator, WatchesThatExpireAreBegunAnew) {
  OperatorInProcess& running = Begin();
  cluster_->Wish("warm", "worker");
  const std::string content = cluster_->AwaitBound("warm");
  running.faults().ExpireWatches();  // 410
  cluster_->Tell(content, "Ready", "True", "Captured");
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
}

TEST_F(SnapshotOperator, AServerThatIsKilledIsWaitedFor) {
  Begin();
  cluster_->Wish("before", "worker");
  const std::string content = cluster_->AwaitBound("before");
  plane_->KillApiServer();
  ASSERT_OK(plane_->StartApiServer());
  cluster_->Wish("after", "worker");
  EXPECT_FALSE(cluster_->AwaitBound("after").empty());
  cluster_->Tell(content, "Ready", "True", "Captured");
  EXPECT_TRUE(cluster_->AwaitCondition("before", "Ready", "True Captured"));
}

// A100: a settled operator writes nothing.
TEST_F(SnapshotOperator, WhatHasSettledIsNotWrittenAgain) {
  OperatorInProcess& running = Begin();
  cluster_->Wish("warm", "worker");
  cluster_->Tell(cluster_->AwaitBound("warm"), "Ready", "True", "Captured");
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  running.faults().ForgetSent();
  running.faults().ExpireWatches();
  cluster_->Wish("probe", "worker");
  ASSERT_TRUE(cluster_->AwaitCondition("probe", "Ready", "False Pending"));
  const std::string probe = cluster_->Bound("probe");
  for (const std::string& line : running.faults().Sent()) {
    EXPECT_TRUE(line.starts_with("GET ") || line.find("/events") != std::string::npos ||
                line.find("probe") != std::string::npos ||
                line.find("/podsnapshotcontents") != std::string::npos)
        << line;
    EXPECT_EQ(line.find("/warm"), std::string::npos) << line;
  }
}

// W13
TEST_F(SnapshotOperator, ANodeThatIsGoneFailsItsCaptures) {
  Begin();
  cluster_->Wish("warm", "worker");
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "False Pending"));
  cluster_->RemoveNode(node_);
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Failed", "True NodeLost"));
}

// W13
TEST_F(SnapshotOperator, AnAgentThatFallsSilentFailsItsCaptures) {
  snapshot::SnapshotControllerOptions options;
  options.limits.agent_grace = 1ms;
  cluster_->AddAgent(node_, 1);
  Begin(options);
  cluster_->Wish("warm", "worker");
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Failed", "True AgentLost"));
}

// P9
TEST_F(SnapshotOperator, AnArtifactIsDeletedByAnAgentThatIsThere) {
  Begin();
  cluster_->Wish("warm", "worker", kDelete);
  const std::string content = cluster_->AwaitBound("warm");
  cluster_->Tell(content, "Ready", "True", "Captured", kArtifact);
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  cluster_->RemoveNode(node_);
  cluster_->Forget("warm");
  const std::string other = "other-" + cluster_->name_space();
  cluster_->AddAgent(other);
  EXPECT_TRUE(Eventually([&] {
    const auto found = cluster_->Content(content);
    return found.has_value() && found->meta().label(snapshot::kNodeLabel) == other;
  }));
  EXPECT_TRUE(cluster_->Exists("warm"));
  cluster_->Tell(content, "ArtifactDeleted", "True", "Deleted");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
  EXPECT_EQ(cluster_->CountContents(), 0U);
}

// Whoever decides late is heard.
TEST_F(SnapshotOperator, APolicySetJustBeforeDeletionCounts) {
  Begin();
  cluster_->AddAgent(node_);
  cluster_->Wish("warm", "worker");
  const std::string content = cluster_->AwaitBound("warm");
  cluster_->Tell(content, "Ready", "True", "Captured", kArtifact);
  ASSERT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  cluster_->Annotate("warm", snapshot::kDeletionPolicyAnnotation, "Delete");
  cluster_->Forget("warm");
  ASSERT_TRUE(Eventually([&] {
    const auto found = cluster_->Content(content);
    return found.has_value() && found->meta().deleting() &&
           found->meta().HasFinalizer(snapshot::kArtifactFinalizer);
  }));
  cluster_->Tell(content, "ArtifactDeleted", "True", "Deleted");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
}

// A snapshot that is deleted while it is captured, where nobody answers: bounded, and visible.
TEST_F(SnapshotOperator, WhereNobodyAnswersTheSnapshotLeavesAllTheSame) {
  snapshot::SnapshotControllerOptions options;
  options.limits.delete_timeout = 1s;
  Begin(options);
  cluster_->Wish("warm", "worker", kDelete);
  cluster_->AwaitBound("warm");
  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
  EXPECT_TRUE(cluster_->AwaitEvent("ArtifactAbandoned"));
  EXPECT_EQ(cluster_->CountContents(), 0U);
}

TEST_F(SnapshotOperator, AProvidedContentIsBound) {
  Begin();
  const std::string name = "golden-" + cluster_->name_space();
  Value provided = kube::NewObject(PodSnapshotContents(), {"", name});
  provided.MakePath("spec.snapshotRef") =
      Value::Object({{"namespace", cluster_->name_space()}, {"name", "warm"}});
  provided.MakePath("spec.source") = Value::Object(
      {{"podRef", Value::Object({{"name", "of-another-cluster"}})}, {"nodeName", "elsewhere"}});
  const json::Blob body = provided.ToBlob();
  ASSERT_OK(
      cluster_->client().Create(PodSnapshotContents(), "", body.view(), SnapshotCluster::Limit()));
  cluster_->Tell(name, "Ready", "True", "Captured", kArtifact);
  cluster_->Wish("warm", "of-another-cluster");
  EXPECT_EQ(cluster_->AwaitBound("warm"), name);
  EXPECT_TRUE(cluster_->AwaitCondition("warm", "Ready", "True Captured"));
  cluster_->Forget("warm");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Exists("warm"); }));
  EXPECT_TRUE(cluster_->Content(name).has_value());
}

}  // namespace
}  // namespace hearth
