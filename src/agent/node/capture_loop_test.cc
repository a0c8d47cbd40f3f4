// Orders of a node from the gate to the release, on an API server in memory and a node whose
// outcomes the tests set.
#include "agent/node/capture_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/node/testing/memory_cluster.h"
#include "base/testing/status_matchers.h"
#include "snapshot/protocol/lease_names.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;

class CaptureLoopTest : public testing::Test {
 protected:
  // A pod that is ready to be captured and an order for it.
  ContentFacts Order(const std::string& name = "content", const std::string& pod = "source",
                     const std::string& id = "lark") {
    cluster().CreateSource(pod, id);
    cluster().Run(pod, {{}});
    return cluster().CreateContent(name, cluster().Pod(pod));
  }
  json::Value ConditionList(const std::string& type, const std::string& reason) {
    return json::Value::Array(
        {json::Value::Object({{"type", type},
                              {"status", "True"},
                              {"reason", reason},
                              {"message", "by the test"},
                              {"lastTransitionTime", "2026-01-01T00:00:00Z"}})});
  }
  // Somebody else is faster: the agent's next writes of this status meet a conflict.
  void ConflictOnStatusWrite(const std::string& content, int times) {
    env_.api.Intercept([this, content,
                        times](const http::Request& request) -> std::optional<http::Response> {
      if (request.method != "PATCH" || conflicts_ == times ||
          request.target.find("/podsnapshotcontents/" + content + "/status") == std::string::npos) {
        return std::nullopt;
      }
      conflicts_ += 1;
      http::Response response;
      response.status = 409;
      response.headers.Set("Content-Type", "application/json");
      response.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                      R"("reason":"Conflict","code":409})";
      return response;
    });
  }

  Cluster& cluster() { return env_.cluster; }
  NodeState& node() { return env_.node; }
  MemoryCluster env_;
  std::atomic<int> conflicts_ = 0;
};

// A64: the lease is there before the work, the work gets the right parameters, and all ends ready.
TEST_F(CaptureLoopTest, CapturesUnderALeaseAndReleasesWhenReady) {
  const ContentFacts order = Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  const auto lease = cluster().Lease("ns", "checkpoint-lease-lark");
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->view()["spec"]["holderIdentity"].StringOr("").starts_with("snapshot-agent/"));
  // W10: and the one that all namespaces share.
  EXPECT_TRUE(cluster().Lease("agents", snapshot::ArtifactLeaseName("lark", "1")));
  EXPECT_FALSE(cluster().Content("content")->ready);
  agent->work().Unblock("Capture");
  node().Await("write c1 snapshot-complete");
  ASSERT_TRUE(cluster().Content("content")->ready) << "released before it was ready";

  const auto captures = agent->work().captures();
  ASSERT_EQ(captures.size(), 1U);
  EXPECT_EQ(captures[0].checkpoint_id, "lark");
  EXPECT_EQ(captures[0].artifact_version, "1");
  EXPECT_EQ(captures[0].container_id, "c1");
  EXPECT_EQ(captures[0].container_name, "main");
  EXPECT_EQ(captures[0].pod_uid, cluster().Pod("source").uid);
  EXPECT_THAT(captures[0].pod_ips, testing::ElementsAre("10.0.0.7", "fd00::7"));
  EXPECT_EQ(captures[0].content_uid, order.uid);
  const auto ready = cluster().Content("content");
  EXPECT_EQ(ready->artifact_id, "lark");
  EXPECT_EQ(ready->artifact_version, "1");
  EXPECT_TRUE(Until([&] { return !cluster().Lease("ns", "checkpoint-lease-lark"); }));
  EXPECT_TRUE(cluster().AwaitEvent("source", "CheckpointCaptured"));
}

// P5: what restores will be measured against, written with the rest; also by an agent that finds
// what the one before it has captured.
TEST_F(CaptureLoopTest, TellsHowLongTheColdStartTook) {
  const auto told = [this](const std::string& name) {
    const auto content = cluster().client().Get(Contents(), {"", name}, cluster().Limit()).value();
    return content.view()["status"]["artifact"]["coldStartMilliseconds"].Int().value_or(0);
  };
  Order();
  const ContentFacts found = Order("found", "source-2", "wren");
  node().Store("wren", "1",
               {.present = true,
                .content_uid = found.uid,
                .pod_namespace = "ns",
                .root_digest = "digest-1",
                .bytes = 100,
                .cold_start = 7s});
  const auto agent = env_.NewAgent();
  agent->work().capture_result.cold_start = 93250ms;
  agent->Start();
  ASSERT_TRUE(cluster().AwaitReady("content"));
  ASSERT_TRUE(cluster().AwaitReady("found"));
  EXPECT_EQ(told("content"), 93250);
  EXPECT_EQ(told("found"), 7000);
}

// A52: the content is another node's.
TEST_F(CaptureLoopTest, OrdersOfOtherNodesAreNotOurs) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{}});
  cluster().CreateContent("other", pod, [](json::Value& content) {
    content["spec"]["source"].Set("nodeName", "node-2");
  });
  const auto agent = env_.NewAgent();
  agent->Start();
  Order("mine", "source-2", "wren");
  ASSERT_TRUE(cluster().AwaitReady("mine"));
  EXPECT_FALSE(cluster().Content("other")->terminal());
  EXPECT_EQ(cluster().Pod("source").Label(snapshot::kEligibleLabel), "");
}

// A53, A63: a pod that is not ready is marked, and nothing else happens.
TEST_F(CaptureLoopTest, MarksAPodThatIsNotReadyAndWaits) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{.ready = false}});
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitPod("source", [](const PodFacts& facts) {
    return facts.Label(snapshot::kEligibleLabel) == "true";
  }));
  agent->work().AwaitCalls("WaitForSentinel", 1);
  EXPECT_FALSE(cluster().Content("content")->terminal());
  EXPECT_EQ(agent->work().calls("Capture"), 0);
  cluster().Run("source", {{.ready = true}});
  EXPECT_TRUE(cluster().AwaitReady("content"));
}

// P5: the workload's own word counts before any probe has run.
TEST_F(CaptureLoopTest, TheWordOfTheWorkloadIsEnough) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{.ready = false}});
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  agent->work().AwaitCalls("WaitForSentinel", 1);
  EXPECT_EQ(agent->work().calls("Capture"), 0);
  node().MakeFile("c1", snapshot::kReadyFile);
  EXPECT_TRUE(cluster().AwaitReady("content"));
}

// A54: what the gate gives up.
TEST_F(CaptureLoopTest, TheGateGivesUpPodsThatAreGoneOrOthers) {
  PodFacts missing;
  missing.key = {"ns", "nobody"};
  cluster().CreateContent("missing", missing);
  PodFacts stale = cluster().CreateSource("stale", "lark");
  stale.uid = "of-the-pod-before";
  cluster().CreateContent("stale", stale);
  const PodFacts failed = cluster().CreateSource("failed", "wren");
  cluster().Run("failed", {{.ready = false, .exit_code = 1}}, "Failed");
  cluster().CreateContent("failed", failed);
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("missing", "SourcePodNotFound"));
  EXPECT_TRUE(cluster().AwaitFailed("stale", "StalePodReference"));
  EXPECT_TRUE(cluster().AwaitFailed("failed", "SourcePodGone"));
  EXPECT_EQ(cluster().Pod("stale").Label(snapshot::kEligibleLabel), "");
}

// A55, W16: a server that does not answer decides nothing, and is asked again.
TEST_F(CaptureLoopTest, AFailedReadIsNoVerdict) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{}});
  std::atomic<int> refused = 0;
  env_.api.Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "GET" && request.target.ends_with("/pods/source") && refused < 3) {
      refused += 1;
      http::Response response;
      response.status = 500;
      return response;
    }
    return std::nullopt;
  });
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitReady("content"));
  EXPECT_GE(refused, 3);
}

// A57: ids that cannot be.
TEST_F(CaptureLoopTest, RefusesPodsWithoutAUsableId) {
  PodFacts pod = cluster().CreateSource("none", "x", [](json::Value& object) {
    object["metadata"]["labels"].Erase(snapshot::kCheckpointIdLabel);
  });
  cluster().CreateContent("none", pod);
  cluster().CreateContent("bad", cluster().CreateSource("bad", "-bad-id"));
  cluster().CreateSource("dotted", "a.b");
  cluster().Run("dotted", {{}});
  cluster().CreateContent("dotted", cluster().Pod("dotted"));
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("none", "MissingCheckpointID"));
  EXPECT_TRUE(cluster().AwaitFailed("bad", "InvalidCheckpointID"));
  EXPECT_TRUE(cluster().AwaitReady("dotted"));
}

// W11: an id with capitals and '_' gets a lease, and ends.
TEST_F(CaptureLoopTest, IdsThatAreNoNamesAreCaptured) {
  Order("content", "source", "Lark_8B");
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  EXPECT_TRUE(cluster().Lease("ns", snapshot::CaptureLeaseName("Lark_8B")));
  agent->work().Unblock("Capture");
  EXPECT_TRUE(cluster().AwaitReady("content"));
}

// A58: another pod of the name, seen by the capture path.
TEST_F(CaptureLoopTest, AStalePodLosesItsMark) {
  PodFacts pod = cluster().CreateSource("source", "lark", [](json::Value& object) {
    object["metadata"]["labels"].Set(snapshot::kEligibleLabel, "true");
  });
  cluster().Run("source", {{}});
  pod.uid = "of-the-pod-before";
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "StalePodReference"));
  EXPECT_TRUE(cluster().AwaitPod("source", [](const PodFacts& facts) {
    return facts.Label(snapshot::kEligibleLabel).empty();
  }));
  EXPECT_EQ(agent->work().calls("Capture"), 0);
}

// A59: a container that failed takes the others with it; one that ended well does not.
TEST_F(CaptureLoopTest, AFailedContainerFailsTheOrderAndStopsItsSiblings) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{.ready = false}, {"helper", "c2", false, 0}});
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  agent->work().AwaitCalls("WaitForSentinel", 1);
  EXPECT_FALSE(cluster().Content("content")->terminal())
      << "a helper that ended well is no failure";
  cluster().Run("source", {{.ready = false}, {"helper", "c2", false, 1}});
  EXPECT_TRUE(cluster().AwaitFailed("content", "CheckpointContainerFailed"));
  EXPECT_TRUE(cluster().AwaitEvent("source", "CheckpointFailed"));
  EXPECT_TRUE(node().Killed("c1"));
  EXPECT_FALSE(node().Killed("c2")) << "it had ended";
  EXPECT_EQ(agent->work().calls("Capture"), 0);
}

// A60: nothing is taken from the content's name.
TEST_F(CaptureLoopTest, IdAndVersionComeFromThePod) {
  cluster().CreateSource("source", "lark", [](json::Value& pod) {
    pod["metadata"]["annotations"].Set(snapshot::kVersionAnnotation, " 7 ");
  });
  cluster().Run("source", {{}});
  cluster().CreateContent("podsnapshotcontent-wren", cluster().Pod("source"));
  const auto agent = env_.NewAgent();
  agent->Start();
  node().Await("capture lark/7 c1");
}

// A61: what is stored already for this very order is made ready, not made again.
TEST_F(CaptureLoopTest, AnArtifactOfTheOrderIsEnough) {
  const ContentFacts order = Order();
  node().Store("lark", "1", {true, order.uid, "ns", "digest-0", 9});
  const auto agent = env_.NewAgent();
  agent->Start();
  node().Await("write c1 snapshot-complete");
  EXPECT_TRUE(cluster().Content("content")->ready);
  EXPECT_EQ(agent->work().calls("Capture"), 0);
}

// Whoever finishes it, the one who captured or the one after it.
TEST_F(CaptureLoopTest, TheSizeOfAnArtifactIsWhatItTakesOnDisk) {
  const ContentFacts found = Order("found", "source-2", "wren");
  node().Store("wren", "1",
               {.present = true,
                .content_uid = found.uid,
                .pod_namespace = "ns",
                .root_digest = "digest-1",
                .bytes = 1000,
                .stored_bytes = 400});
  Order();
  const auto agent = env_.NewAgent();
  agent->Start();
  for (const char* const name : {"content", "found"}) {
    ASSERT_TRUE(cluster().AwaitReady(name));
    const auto content = cluster().client().Get(Contents(), {"", name}, cluster().Limit()).value();
    EXPECT_EQ(content.view()["status"]["artifact"]["sizeBytes"].Int().value_or(0), 400) << name;
  }
}

// W6, W10: what another snapshot or namespace stored is not taken for ours.
TEST_F(CaptureLoopTest, AnArtifactOfOthersIsAConflict) {
  Order();
  node().Store("lark", "1", {true, "another-content", "ns", "digest-0", 9});
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "ArtifactConflict"));
  EXPECT_EQ(agent->work().calls("Capture"), 0);
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
}

// 10.6: it was complete, and then bytes of it were lost before anybody was told.
TEST_F(CaptureLoopTest, ADamagedArtifactOfTheOrderFailsIt) {
  const ContentFacts order = Order();
  node().Store("lark", "1",
               {true, order.uid, "ns", "", 0, "pages-1.img has 3 bytes instead of 4096"});
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitFailed("content", "ArtifactDamaged"));
  EXPECT_EQ(agent->work().calls("Capture"), 0);
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
  EXPECT_TRUE(node().Killed("c1")) << "it waits to be told";
}

TEST_F(CaptureLoopTest, ADamagedArtifactOfOthersIsAConflict) {
  Order();
  node().Store("lark", "1", {true, "", "", "", 0, "manifest.yaml is missing"});
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitFailed("content", "ArtifactConflict"));
  EXPECT_FALSE(node().Killed("c1"));
}

// Two replicas of a template, or two namespaces with the same model: the second is not left
// waiting.
TEST_F(CaptureLoopTest, APodWithTheIdOfAnotherIsToldWhenThatOneIsCaptured) {
  Order("first", "source-1", "lark");
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  const int looks = agent->work().calls("Look");
  Order("second", "source-2", "lark");
  // Its turn comes and goes while the first is captured.
  agent->work().AwaitCalls("Look", looks + 1);
  agent->work().Unblock("Capture");
  EXPECT_TRUE(cluster().AwaitReady("first"));
  EXPECT_TRUE(cluster().AwaitFailed("second", "ArtifactConflict"));
  EXPECT_FALSE(node().Killed("c1"));
}

// A65: the order names the container; the annotation does not count beside it.
TEST_F(CaptureLoopTest, TheOrderNamesExactlyOneContainer) {
  const auto annotated = [](json::Value& pod) {
    pod["metadata"]["annotations"].Set(snapshot::kTargetsAnnotation, "other");
  };
  cluster().CreateSource("source", "lark", annotated);
  cluster().Run("source", {{}});
  const PodFacts pod = cluster().Pod("source");
  const auto with = [](json::Value containers) {
    return [containers](json::Value& content) {
      content["spec"]["source"]["podRef"].Set("containers", containers);
    };
  };
  const PodFacts bare = cluster().CreateSource("bare", "wren");
  cluster().CreateContent("zero", bare, with(json::Value::Array()));
  cluster().CreateContent("two", bare, with(json::Value::Array({"a", "b"})));
  cluster().CreateContent("blank", bare, with(json::Value::Array({" "})));
  cluster().CreateContent("one", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("zero", "InvalidTargetContainer"));
  EXPECT_TRUE(cluster().AwaitFailed("two", "InvalidTargetContainer"));
  EXPECT_TRUE(cluster().AwaitFailed("blank", "InvalidTargetContainer"));
  EXPECT_TRUE(cluster().AwaitReady("one"));
}

// A66: whatever fails on the way fails the order, and the container is not left as it is.
TEST_F(CaptureLoopTest, AFailedCaptureFailsTheOrderAndKillsTheContainer) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Fail("Capture", InternalError("CRIU: no such thing"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "CheckpointFailed"));
  node().Await("kill c1");
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
  EXPECT_TRUE(cluster().AwaitEvent("source", "CheckpointFailed"));
  EXPECT_TRUE(Until([&] { return !cluster().Lease("ns", "checkpoint-lease-lark"); }));
}

// A56: one checkpoint id is captured once at a time, whichever order it is for.
TEST_F(CaptureLoopTest, TheGuardOutlivesTheOrder) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().CreateContent("later", cluster().Pod("source"));
  cluster().Run("source", {{}});
  EXPECT_EQ(agent->work().calls("Capture"), 1);
  EXPECT_FALSE(cluster().Content("later")->terminal());
  agent->work().Unblock("Capture");
  EXPECT_TRUE(cluster().AwaitReady("content"));
  // Its own artifact, of another order: not taken for the later one's.
  EXPECT_TRUE(cluster().AwaitFailed("later", "ArtifactConflict"));
}

// A69, W9: no release before Ready is stored.
TEST_F(CaptureLoopTest, NothingIsReleasedWhileReadyCannotBeWritten) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  agent->transport().Die();
  agent->work().Unblock("Capture");
  node().Await("capture lark/1 c1");
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
  EXPECT_FALSE(node().Killed("c1")) << "it waits for the next try";
  agent->transport().Revive();
  node().Await("write c1 snapshot-complete");
  EXPECT_TRUE(cluster().Content("content")->ready);
  EXPECT_EQ(agent->work().captures().size(), 1U) << "what is stored is not made again";
}

// A70: a kill that fails is told in the log and does not hide why the order failed; of what has
// ended already, see NodeWork::Kill.
TEST_F(CaptureLoopTest, AKillThatFailsDoesNotHideTheFailure) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{.ready = false}, {"helper", "c2", false, 1}});
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->work().Fail("Kill", InternalError("no such right"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "CheckpointContainerFailed"));
  EXPECT_TRUE(Until([&] { return agent->Log().find("no such right") != std::string::npos; }));
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
}

// A runtime that restarts answers later; until then the container is in no known state.
TEST_F(CaptureLoopTest, AKillThatFailsIsTriedUntilItIsDone) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Fail("Capture", InternalError("CRIU failed"));
  agent->work().Fail("Kill", UnavailableError("the runtime restarts"), 2);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "CheckpointFailed"));
  EXPECT_TRUE(Until([&] { return node().Killed("c1"); }));
  EXPECT_EQ(agent->work().calls("Kill"), 3);
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
}

// A70: somebody gave the order up while it was captured.
TEST_F(CaptureLoopTest, AnOrderThatFailedMeanwhileIsNotMadeReady) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().SetConditions("content", ConditionList("Failed", "DeadlineExceeded"));
  agent->work().Unblock("Capture");
  node().Await("kill c1");
  EXPECT_FALSE(node().Find("lark", "1").present) << "nobody else could have that id";
  EXPECT_EQ(cluster().FailedReason("content"), "DeadlineExceeded");
  EXPECT_FALSE(cluster().Content("content")->ready);
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
}

// A71: a conflict is decided again on what is there now.
TEST_F(CaptureLoopTest, AConflictingWriteIsTriedAgain) {
  Order();
  const auto agent = env_.NewAgent();
  ConflictOnStatusWrite("content", 2);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitReady("content"));
  node().Await("write c1 snapshot-complete");
  EXPECT_EQ(conflicts_, 2);
}

// A72: released again after a restart; other pods' and unusable orders do not stand in the way.
TEST_F(CaptureLoopTest, ReadyOrdersAreReleasedAndStarveNobody) {
  cluster().CreateSource("source", "lark", [](json::Value& pod) {
    pod["metadata"]["labels"].Set(snapshot::kEligibleLabel, "true");
  });
  cluster().Run("source", {{}});
  PodFacts pod = cluster().Pod("source");
  cluster().CreateContent("ready", pod);
  cluster().SetConditions("ready", ConditionList("Ready", "Captured"));
  PodFacts stale = pod;
  stale.uid = "of-the-pod-before";
  cluster().CreateContent("stale", stale);
  cluster().SetConditions("stale", ConditionList("Ready", "Captured"));
  cluster().CreateContent("unusable", pod, [](json::Value& content) {
    content["spec"]["source"]["podRef"].Set("containers", json::Value::Array({"a", "b"}));
  });
  cluster().SetConditions("unusable", ConditionList("Ready", "Captured"));
  cluster().CreateContent("newer", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitReady("newer"));
  EXPECT_GE(node().Count("write c1 snapshot-complete"), 1U);
  EXPECT_EQ(node().Count("capture lark/1 c1"), 1U);
}

// A72, A74: a workload that cannot be told is killed; Ready stays.
TEST_F(CaptureLoopTest, AFailedReleaseKillsAndLeavesReady) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Fail("WriteSentinel", InternalError("a link is in the way"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitReady("content"));
  node().Await("kill c1");
  EXPECT_FALSE(cluster().Content("content")->failed);
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
}

// A73: the lease went to somebody else while it was captured.
TEST_F(CaptureLoopTest, ALostLeaseEndsTheCapture) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().PutLease("ns", "checkpoint-lease-lark", "snapshot-agent/other", 30);
  EXPECT_TRUE(cluster().AwaitFailed("content", "LeaseCancelled"));
  node().Await("kill c1");
  EXPECT_FALSE(node().HasFile("c1", snapshot::kSnapshotCompleteFile));
  EXPECT_EQ(
      cluster().Lease("ns", "checkpoint-lease-lark")->view()["spec"]["holderIdentity"].StringOr(""),
      "snapshot-agent/other")
      << "it is not ours to delete";
}

// Whoever takes over captures anew; what was stored in the last moment would be in its way.
TEST_F(CaptureLoopTest, AnArtifactFinishedAfterTheLeaseWasLostIsRemoved) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().OnStep([&](const std::string& step) {
    if (step != "after Capture") {
      return true;
    }
    cluster().PutLease("ns", "checkpoint-lease-lark", "snapshot-agent/other", 30);
    return Until([&] { return agent->Log().find("lost the lease") != std::string::npos; });
  });
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "LeaseCancelled"));
  EXPECT_TRUE(Until([&] { return !node().Find("lark", "1").present; }));
}

// A73: what another made ready is neither killed nor released by us.
TEST_F(CaptureLoopTest, ALostLeaseDoesNotHarmWhatAnotherMadeReady) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().SetConditions("content", ConditionList("Ready", "Captured"));
  cluster().PutLease("ns", "checkpoint-lease-lark", "snapshot-agent/other", 30);
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
  EXPECT_FALSE(node().Killed("c1"));
  EXPECT_FALSE(cluster().Content("content")->failed);
}

TEST_F(CaptureLoopTest, ALeaseOfAnotherIsWaitedFor) {
  cluster().PutLease("ns", "checkpoint-lease-lark", "snapshot-agent/dead", 1);
  Order();
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitReady("content")) << "it ran out";
}

// Cancellation: nobody wants it any more.
TEST_F(CaptureLoopTest, ADeletedOrderEndsItsCapture) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().DeleteContent("content");
  node().Await("kill c1");
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
  EXPECT_FALSE(node().Find("lark", "1").present);
  EXPECT_TRUE(Until([&] { return !cluster().Lease("ns", "checkpoint-lease-lark"); }));
}

TEST_F(CaptureLoopTest, ADeletedPodEndsItsCapture) {
  Order();
  const auto agent = env_.NewAgent();
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  cluster().DeletePod("source");
  EXPECT_TRUE(
      cluster().AwaitContent("content", [](const ContentFacts& facts) { return facts.failed; }));
  EXPECT_THAT(cluster().FailedReason("content"),
              testing::AnyOf("SourcePodGone", "SourcePodNotFound"));
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
}

// The memory service first: what it holds belongs to the snapshot.
TEST_F(CaptureLoopTest, WaitsForTheMemoryServiceBeforeTheCapture) {
  const PodFacts pod = cluster().CreateSource("source", "lark", [](json::Value& object) {
    object["metadata"]["annotations"].Set(snapshot::kGmsDirectoryAnnotation,
                                          "/checkpoints/gms/lark");
  });
  cluster().Run("source", {{}});
  cluster().CreateContent("content", pod);
  const auto agent = env_.NewAgent();
  agent->Start();
  agent->work().AwaitCalls("WaitForSentinel", 1);
  EXPECT_EQ(agent->work().calls("Capture"), 0);
  node().MakeFile("c1", "/checkpoints/gms/lark/gms-save-complete-" + pod.uid);
  EXPECT_TRUE(cluster().AwaitReady("content"));
}

TEST_F(CaptureLoopTest, WhoWaitsForTheMemoryServiceTakesNobodysTurn) {
  const PodFacts pod = cluster().CreateSource("source", "lark", [](json::Value& object) {
    object["metadata"]["annotations"].Set(snapshot::kGmsDirectoryAnnotation, "/gms");
  });
  cluster().Run("source", {{}});
  cluster().CreateContent("content", pod);
  AgentOptions options = AgentRig::TestOptions();
  options.limits.captures = 1;
  const auto agent = env_.NewAgent(options);
  agent->Start();
  agent->work().AwaitCalls("WaitForSentinel", 1);
  Order("other", "source-2", "wren");
  EXPECT_TRUE(cluster().AwaitReady("other"));
  EXPECT_FALSE(cluster().Content("content")->terminal());
}

TEST_F(CaptureLoopTest, AMemoryServiceThatNeverFinishesFailsTheOrder) {
  cluster().CreateSource("source", "lark", [](json::Value& object) {
    object["metadata"]["annotations"].Set(snapshot::kGmsCompletionModeAnnotation, "shared");
  });
  cluster().Run("source", {{}});
  cluster().CreateContent("content", cluster().Pod("source"));
  AgentOptions options = AgentRig::TestOptions();
  options.capture_timeout = 100ms;
  const auto agent = env_.NewAgent(options);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "GmsSaveIncomplete"));
  node().Await("kill c1");
  // What another pod, of another namespace even, has saved in the same place is not its own to
  // delete.
  node().Await("remove weights lark/1 " + cluster().Pod("source").uid);
  EXPECT_EQ(agent->work().calls("Remove"), 0);
}

TEST_F(CaptureLoopTest, ACaptureHasADeadline) {
  Order();
  AgentOptions options = AgentRig::TestOptions();
  options.capture_timeout = 100ms;
  const auto agent = env_.NewAgent(options);
  agent->work().Block("Capture");
  agent->Start();
  EXPECT_TRUE(cluster().AwaitFailed("content", "CheckpointFailed"));
  node().Await("kill c1");
}

// P7: more than the node may do at once waits in line.
TEST_F(CaptureLoopTest, CapturesBeyondTheBudgetWait) {
  AgentOptions options = AgentRig::TestOptions();
  options.limits.captures = 1;
  Order("one", "source-1", "lark");
  const auto agent = env_.NewAgent(options);
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  Order("two", "source-2", "wren");
  ASSERT_TRUE(Until([&] { return agent->agent().running() == 2; }));
  EXPECT_EQ(agent->work().calls("Capture"), 1);
  agent->work().Unblock("Capture");
  EXPECT_TRUE(cluster().AwaitReady("one"));
  EXPECT_TRUE(cluster().AwaitReady("two"));
}

// An agent killed before or after each of its writes and deeds leaves what the next one finishes:
// captured once, ready, released, and no container killed that was not broken. Only in the middle
// of a capture is it different: what is left is in no known state, and is neither captured nor runs
// on.
TEST_F(CaptureLoopTest, AnAgentKilledAtAnyStepIsSucceededByAnother) {
  int middles = 0;
  for (int step = 0;; ++step) {
    SCOPED_TRACE("killed at step " + std::to_string(step));
    MemoryCluster env;
    env.cluster.CreateSource("source", "lark");
    env.cluster.Run("source", {{}});
    env.cluster.CreateContent("content", env.cluster.Pod("source"));
    AgentOptions options = AgentRig::TestOptions();
    options.lease_duration = 1s;  // the second waits for its end
    auto first = env.NewAgent(options);
    first->DieAtStep(step);
    first->Start();
    const bool died = Until([&] {
      return first->steps() > step || (env.node.HasFile("c1", snapshot::kSnapshotCompleteFile) &&
                                       first->agent().running() == 0);
    });
    ASSERT_TRUE(died);
    const bool completed = first->steps() <= step;
    SCOPED_TRACE(first->last_step());
    first->Die();
    const auto second = env.NewAgent();
    second->Start();
    if (first->last_step() == "amid Capture") {
      EXPECT_TRUE(env.cluster.AwaitFailed("content", "CaptureInterrupted")) << second->Log();
      EXPECT_TRUE(env.node.Killed("c1"));
      EXPECT_EQ(env.node.Count("capture lark/1 c1"), 0U);
      EXPECT_EQ(second->work().calls("Capture"), 0);
      EXPECT_FALSE(env.node.HasFile("c1", snapshot::kSnapshotCompleteFile));
      middles += 1;
      continue;
    }
    ASSERT_TRUE(env.cluster.AwaitReady("content")) << second->Log();
    env.node.Await("write c1 snapshot-complete");
    EXPECT_FALSE(env.node.Killed("c1"));
    EXPECT_EQ(env.node.Count("capture lark/1 c1"), 1U);
    EXPECT_FALSE(env.cluster.Content("content")->failed);
    if (completed) {
      EXPECT_GT(step, 8) << "the steps are not counted";
      // Signs of life come in between when they like: the same moment may have two numbers.
      EXPECT_GE(middles, 1);
      return;
    }
  }
}

}  // namespace
}  // namespace hearth::agent::node
