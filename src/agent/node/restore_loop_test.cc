// Pods that are restored into, on an API server in memory and a node whose outcomes the tests set.
#include "agent/node/restore_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "agent/node/testing/memory_cluster.h"
#include "base/testing/status_matchers.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/targets.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class RestoreLoopTest : public testing::Test {
 protected:
  void Store(const std::string& id = "lark", const std::string& name_space = "ns") {
    node().Store(id, "1", {true, "content-uid", name_space, "digest-1", 100});
  }
  // One that must be restored, so that everything before it has been looked at.
  void RestoreMarker() {
    Store("marker");
    cluster().CreateRestore("marker", "marker");
    cluster().Run("marker", {{.id = "m1"}});
    ASSERT_TRUE(cluster().AwaitSum("marker", "completed"));
  }
  // The same while restores are blocked: it has begun.
  void RestoreMarkerStarts(AgentRig& agent) {
    const int before = agent.work().calls("Restore");
    Store("marker");
    cluster().CreateRestore("marker", "marker");
    cluster().Run("marker", {{.id = "m1"}});
    agent.work().AwaitCalls("Restore", before + 1);
  }
  static Cluster::Change WithStatus(const std::string& status, const std::string& container_id) {
    return [=](json::Value& pod) {
      const auto keys = snapshot::KeysOfTarget("main");
      pod["metadata"]["annotations"].Set(keys->status, status);
      pod["metadata"]["annotations"].Set(keys->container_id, container_id);
    };
  }
  std::string Message(const std::string& pod) {
    return std::string(cluster().Pod(pod).Annotation(snapshot::kRestoreMessageAnnotation));
  }

  Cluster& cluster() { return env_.cluster; }
  NodeState& node() { return env_.node; }
  MemoryCluster env_;
};

// A37, A39: a pod on this node, running or pending, ready or not.
TEST_F(RestoreLoopTest, RestoresIntoAWaitingContainer) {
  Store();
  cluster().CreateRestore("running", "lark");
  cluster().Run("running", {{.id = "c1", .ready = true}});
  cluster().CreateRestore("pending", "lark");
  cluster().Run("pending", {{.id = "c2", .ready = false}}, "Pending");
  node().MakeFile("c1", snapshot::kRestoreCompleteFile);  // of a restore before
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("running", "main", "completed"));
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pending", "main", "completed"));
  const auto keys = snapshot::KeysOfTarget("main");
  EXPECT_EQ(cluster().Pod("running").Annotation(keys->container_id), "c1");
  EXPECT_TRUE(cluster().AwaitSum("running", "completed"));
  EXPECT_TRUE(cluster().AwaitEvent("running", "RestoreRequested"));
  EXPECT_TRUE(cluster().AwaitEvent("running", "RestoreSucceeded"));
  const auto history = node().History();
  const auto restored = std::find(history.begin(), history.end(), "restore lark/1 c1");
  const auto released = std::find(history.begin(), history.end(), "write c1 restore-complete");
  ASSERT_NE(released, history.end());
  EXPECT_LT(restored, released);
  EXPECT_THAT(agent->work().restores()[0].pod_ips, testing::ElementsAre("10.0.0.7", "fd00::7"));
}

// P5: in the very request that says that it is completed.
TEST_F(RestoreLoopTest, ARestoredPodProvesIt) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  std::mutex mutex;
  std::vector<std::string> patches;
  env_.api.Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && request.target.find("/pods/pod") != std::string::npos) {
      const std::lock_guard lock(mutex);
      patches.push_back(request.body);
    }
    return std::nullopt;
  });
  const auto agent = env_.NewAgent();
  agent->work().cold_start = 90s;
  agent->Start();
  ASSERT_TRUE(cluster().AwaitSum("pod", "completed"));
  const PodFacts pod = cluster().Pod("pod");
  EXPECT_EQ(pod.Annotation("hearth.dev/start"), "restored");
  EXPECT_EQ(pod.Annotation("hearth.dev/restored-from"), "lark/1");
  EXPECT_EQ(pod.Annotation("hearth.dev/restored-digest"), "digest-1");
  EXPECT_EQ(pod.Annotation("hearth.dev/restore-phases"), "criu=0.007");
  env_.api.Intercept({});
  const std::lock_guard lock(mutex);
  EXPECT_EQ(patches.size(), 2U) << "that it begins, and that it is done";
  const std::string metrics = agent->manager().metrics().Expose();
  const size_t saved = metrics.find("\nhearth_restore_seconds_saved_total ");
  ASSERT_NE(saved, std::string::npos);
  const double seconds = std::stod(metrics.substr(metrics.find(' ', saved)));
  EXPECT_GT(seconds, 30);
  EXPECT_LE(seconds, 90);
}

// P5: the pod is restored when all of its targets are, and not before.
TEST_F(RestoreLoopTest, APodOfSeveralTargetsIsRestoredWhenAllAre) {
  Store();
  cluster().CreateRestore("pod", "lark", "main,side", [](json::Value& pod) {
    pod["spec"]["containers"].Append(json::Value::Object({{"name", "side"}}));
  });
  cluster().Run("pod", {{.name = "main", .id = "c1"}});
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/start"), "");
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/restored-from"), "");
  cluster().Run("pod", {{.name = "main", .id = "c1"}, {.name = "side", .id = "c2"}});
  ASSERT_TRUE(cluster().AwaitSum("pod", "completed"));
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/start"), "restored");
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/restored-from"), "lark/1");
}

// P5: what was proved of a container before this one, or forged, does not stay.
TEST_F(RestoreLoopTest, AFailedRestoreProvesNothing) {
  Store();
  cluster().CreateRestore("pod", "lark", "main", [](json::Value& pod) {
    pod["metadata"]["annotations"].Set("hearth.dev/start", "restored");
    pod["metadata"]["annotations"].Set("hearth.dev/restored-from", "lark/1");
    pod["metadata"]["annotations"].Set("hearth.dev/restored-digest", "0123");
    pod["metadata"]["annotations"].Set("hearth.dev/restore-phases", "criu=0.001");
  });
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("Restore", InternalError("artifact mount: no such device"));
  agent->Start();
  ASSERT_TRUE(cluster().AwaitSum("pod", "failed"));
  for (const char* const key : {"start", "restored-from", "restored-digest", "restore-phases"}) {
    EXPECT_EQ(cluster().Pod("pod").Annotation(std::string("hearth.dev/") + key), "") << key;
  }
}

// P5: who finds a pod restored by the agent before does not take its proof away.
TEST_F(RestoreLoopTest, AProofOutlivesTheAgentThatGaveIt) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  {
    const auto agent = env_.NewAgent();
    agent->Start();
    ASSERT_TRUE(cluster().AwaitSum("pod", "completed"));
  }
  const auto agent = env_.NewAgent();
  agent->Start();
  RestoreMarker();
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/start"), "restored");
  EXPECT_EQ(cluster().Pod("pod").Annotation("hearth.dev/restore-phases"), "criu=0.007");
}

// A38: what is not ours, or over, is not touched and not written to.
TEST_F(RestoreLoopTest, OtherPodsAreLeftAlone) {
  Store();
  cluster().CreateRestore("elsewhere", "lark", "main",
                          [](json::Value& pod) { pod["spec"].Set("nodeName", "node-2"); });
  cluster().Run("elsewhere", {{}});
  for (const char* phase : {"Succeeded", "Failed", "Unknown"}) {
    std::string name = "over-" + std::string(phase == std::string("Unknown") ? "u" : phase);
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    cluster().CreateRestore(name, "lark");
    cluster().Run(name, {{}}, phase);
  }
  cluster().CreateSource("source", "lark");
  cluster().Run("source", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  RestoreMarker();
  EXPECT_EQ(agent->work().calls("Restore"), 1) << "the marker's";
  EXPECT_TRUE(cluster().Pod("elsewhere").annotations.size() == 1);
  EXPECT_EQ(cluster().Pod("source").Annotation(snapshot::kRestoreStatusAnnotation), "");
}

// A38, W17: what is wrong with a pod is told to whoever looks at it.
TEST_F(RestoreLoopTest, UnusablePodsAreToldWhy) {
  Store();
  cluster().CreateRestore("bad-id", "..bad");
  cluster().CreateRestore("no-target", "lark", " ");
  cluster().CreateRestore("twice", "lark", "main,main");
  cluster().CreateRestore("unknown", "lark", "nobody");
  for (const char* pod : {"bad-id", "no-target", "twice", "unknown"}) {
    cluster().Run(pod, {{}});
  }
  const auto agent = env_.NewAgent();
  agent->Start();
  for (const char* pod : {"bad-id", "no-target", "twice", "unknown"}) {
    EXPECT_TRUE(cluster().AwaitSum(pod, "failed")) << pod;
    EXPECT_TRUE(cluster().AwaitEvent(pod, "RestoreRejected")) << pod;
    EXPECT_NE(Message(pod), "") << pod;
  }
  EXPECT_THAT(Message("unknown"), HasSubstr("nobody"));
  EXPECT_EQ(agent->work().calls("Restore"), 0);
}

// A42, W17: a name that makes the annotation's key too long.
TEST_F(RestoreLoopTest, ATooLongTargetIsRefusedAndToldOf) {
  Store();
  const std::string target(36, 'x');
  cluster().CreateRestore("pod", "lark", target, [&](json::Value& pod) {
    pod["spec"]["containers"].items()[0].Set("name", target);
  });
  cluster().Run("pod", {{.name = target}});
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitSum("pod", "failed"));
  EXPECT_THAT(Message("pod"), HasSubstr("33"));
  EXPECT_EQ(agent->agent().running(), 0U) << "a guard is held";
}

// A38, W17: without an artifact it waits, says so once, and begins when there is one.
TEST_F(RestoreLoopTest, AMissingArtifactIsWaitedFor) {
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitSum("pod", "waiting"));
  EXPECT_THAT(Message("pod"), HasSubstr("not in the store"));
  EXPECT_TRUE(cluster().AwaitEvent("pod", "RestoreWaiting"));
  EXPECT_EQ(cluster().RestoreStatus("pod", "main"), "");
  agent->work().AwaitCalls("Look", agent->work().calls("Look") + 2);
  Store();
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
  EXPECT_TRUE(cluster().AwaitPod("pod", [](const PodFacts& pod) {
    return pod.Annotation(snapshot::kRestoreMessageAnnotation).empty();
  }));
  const auto events = cluster().Events("pod");
  EXPECT_EQ(std::count(events.begin(), events.end(), "RestoreWaiting"), 1);
}

// A40: over for this container.
TEST_F(RestoreLoopTest, WhatIsDoneIsNotDoneAgain) {
  Store();
  cluster().CreateRestore("completed", "lark", "main", WithStatus("completed", "c1"));
  cluster().Run("completed", {{}});
  cluster().CreateRestore("failed", "lark", "main", WithStatus("failed", "c1"));
  cluster().Run("failed", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitSum("completed", "completed"));
  EXPECT_TRUE(cluster().AwaitSum("failed", "failed"));
  RestoreMarker();
  EXPECT_EQ(agent->work().calls("Restore"), 1);
}

// A41: begun by an agent that died, or done for the container before this one.
TEST_F(RestoreLoopTest, WhatWasBegunOrIsOfAnOlderContainerIsDone) {
  Store();
  cluster().CreateRestore("begun", "lark", "main", WithStatus("in_progress", "c1"));
  cluster().Run("begun", {{}});
  cluster().CreateRestore("older", "lark", "main", WithStatus("completed", "c0"));
  cluster().Run("older", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("begun", "main", "completed"));
  agent->work().AwaitCalls("Restore", 2);
  EXPECT_TRUE(cluster().AwaitSum("older", "completed"));
}

// A43, P6: the runtime knows the container before the kubelet tells; it is asked once.
TEST_F(RestoreLoopTest, AsksTheRuntimeForAContainerThatNobodyToldOf) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{.id = ""}}, "Pending");
  const auto agent = env_.NewAgent();
  agent->work().Block("FindContainer");
  agent->Start();
  agent->work().AwaitCalls("FindContainer", 1);
  EXPECT_EQ(agent->work().calls("Restore"), 0);
  node().Start({"uid of a pod before", "pod", "ns", "main"}, "c8");
  node().Start({cluster().Pod("pod").uid, "pod", "ns", "main"}, "c9");
  agent->work().Unblock("FindContainer");
  node().Await("restore lark/1 c9");
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  EXPECT_EQ(agent->work().calls("FindContainer"), 1);
}

// A44: by the time the runtime answers the pod has ended.
TEST_F(RestoreLoopTest, APodThatEndedMeanwhileIsNotRestored) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{.id = ""}}, "Pending");
  const auto agent = env_.NewAgent();
  agent->work().Block("FindContainer");
  agent->Start();
  agent->work().AwaitCalls("FindContainer", 1);
  env_.api.HoldWatches(true);  // the agent does not hear of it
  cluster().Run("pod", {{.id = ""}}, "Failed");
  node().Start({cluster().Pod("pod").uid, "pod", "ns", "main"}, "c9");
  agent->work().Unblock("FindContainer");
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; })) << "the key is held";
  EXPECT_EQ(agent->work().calls("Restore"), 0);
  env_.api.HoldWatches(false);
}

// A45: this very container is being restored into.
TEST_F(RestoreLoopTest, OneContainerIsRestoredOnceAtATime) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Block("Restore");
  agent->Start();
  agent->work().AwaitCalls("Restore", 1);
  EXPECT_TRUE(cluster().AwaitSum("pod", "in_progress"));
  cluster().SetPod(
      "pod",
      json::Value::Object(
          {{"metadata", json::Value::Object({{"labels", json::Value::Object({{"x", "y"}})}})}}));
  RestoreMarkerStarts(*agent);
  EXPECT_EQ(agent->work().calls("Restore"), 2) << "one for each pod";
  agent->work().Unblock("Restore");
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
  EXPECT_EQ(agent->work().calls("Restore"), 2);
}

// A47: what older agents let a pod choose does not count any more.
TEST_F(RestoreLoopTest, VersionsComeFromThePodAndPathsDoNot) {
  node().Store("lark", "7", {true, "content-uid", "ns", "digest", 1});
  cluster().CreateRestore("pod", "lark", "main", [](json::Value& pod) {
    pod["metadata"]["annotations"].Set(snapshot::kVersionAnnotation, "7");
    pod["metadata"]["annotations"].Set("nvidia.com/snapshot-storage-base-path", "/etc");
  });
  cluster().Run("pod", {{}});
  cluster().CreateRestore("unsafe", "lark", "main", [](json::Value& pod) {
    pod["metadata"]["annotations"].Set(snapshot::kVersionAnnotation, "../7");
  });
  const auto agent = env_.NewAgent();
  agent->Start();
  node().Await("restore lark/7 c1");
  cluster().Run("unsafe", {{.id = "c2"}});
  EXPECT_TRUE(cluster().AwaitSum("unsafe", "failed"));
  EXPECT_EQ(agent->work().calls("Restore"), 1);
}

// A48: what lies there is no artifact.
TEST_F(RestoreLoopTest, SomethingElseInThePlaceOfTheArtifactIsToldOf) {
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("Look", InvalidError("/checkpoints/lark/versions/1 is not a directory"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitSum("pod", "failed"));
  EXPECT_THAT(Message("pod"), HasSubstr("not a directory"));
}

// W17: nor is a store that does not answer a secret of the log.
TEST_F(RestoreLoopTest, AStoreThatCannotBeReadIsToldOf) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("Look", UnavailableError("stale file handle"), 3);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitEvent("pod", "RestoreWaiting"));
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
}

// S3: an artifact of another namespace is not for this one, unless the node's owner says so.
TEST_F(RestoreLoopTest, ArtifactsOfOtherNamespacesAreRefused) {
  Store("lark", "other");
  Store("anon", "");
  for (const char* id : {"lark", "anon"}) {
    cluster().CreateRestore(id, id);
    cluster().Run(id, {{.id = std::string("c-") + id}});
  }
  {
    const auto agent = env_.NewAgent();
    agent->Start();
    EXPECT_TRUE(cluster().AwaitSum("lark", "failed"));
    EXPECT_TRUE(cluster().AwaitSum("anon", "failed"));
    EXPECT_THAT(Message("lark"), Not(HasSubstr("other"))) << "it tells whose it is";
    EXPECT_EQ(agent->work().calls("Restore"), 0);
    EXPECT_FALSE(node().Killed("c-lark"));
  }
  AgentOptions options = AgentRig::TestOptions();
  options.other_namespaces = true;
  const auto agent = env_.NewAgent(options);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitSum("lark", "completed"));
}

// 10.6: truncated, flipped or missing, it is told at once and by name, and nothing is touched.
TEST_F(RestoreLoopTest, ADamagedArtifactIsRefusedAndTold) {
  node().Store("lark", "1", {true, "content-uid", "ns", "", 0, "files.img is missing"});
  node().Store("ruin", "1", {true, "", "", "", 0, "manifest.yaml is damaged"});
  node().Store("theirs", "1", {true, "content-uid", "other", "", 0, "files.img is missing"});
  const auto agent = env_.NewAgent();
  agent->Start();
  for (const char* const id : {"lark", "ruin", "theirs"}) {
    cluster().CreateRestore(id, id);
    cluster().Run(id, {{.id = std::string("c-") + id}});
    EXPECT_TRUE(cluster().AwaitSum(id, "failed")) << id;
    EXPECT_TRUE(cluster().AwaitEvent(id, "RestoreRejected")) << id;
    EXPECT_FALSE(node().Killed(std::string("c-") + id));
  }
  EXPECT_THAT(Message("lark"), HasSubstr("files.img is missing"));
  EXPECT_THAT(Message("ruin"), HasSubstr("manifest.yaml is damaged"));
  EXPECT_THAT(Message("theirs"), Not(HasSubstr("files.img")));
  EXPECT_EQ(agent->work().calls("Restore"), 0);
}

TEST_F(RestoreLoopTest, WaitsForTheAddressOfThePod) {
  Store();
  cluster().CreateRestore("pod", "lark");
  const auto agent = env_.NewAgent();
  agent->Start();
  json::Value status;
  status["status"].Set("phase", "Running");
  status["status"]["containerStatuses"].Append(
      json::Value::Object({{"name", "main"}, {"containerID", "containerd://c1"}}));
  kube::WriteOptions of_status;
  of_status.subresource = "status";
  const std::string body = status.Write();
  ASSERT_OK(cluster().client().Patch(kube::types::Pods(), {"ns", "pod"}, kube::PatchType::kMerge,
                                     json::View::Trusted(body), cluster().Limit(), of_status));
  EXPECT_TRUE(cluster().AwaitSum("pod", "waiting"));
  EXPECT_EQ(agent->work().calls("Restore"), 0);
  cluster().Run("pod", {{}});
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
}

// A50: whatever fails on the way is told and the container killed.
TEST_F(RestoreLoopTest, AFailedRestoreIsToldAndKilled) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("Restore", InternalError("artifact mount: no such device"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "failed"));
  EXPECT_TRUE(cluster().AwaitEvent("pod", "RestoreFailed"));
  EXPECT_TRUE(node().Killed("c1"));
  EXPECT_FALSE(node().HasFile("c1", snapshot::kRestoreCompleteFile));
  RestoreMarkerStarts(*agent);
  EXPECT_THAT(Message("pod"), HasSubstr("no such device")) << "why it failed must stay";
  EXPECT_EQ(agent->work().calls("Restore"), 2) << "once, and the marker's";
}

TEST_F(RestoreLoopTest, AKillThatFailsIsTriedUntilItIsDone) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("Restore", InternalError("CRIU failed"));
  agent->work().Fail("Kill", UnavailableError("the runtime restarts"), 1);
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "failed"));
  EXPECT_TRUE(Until([&] { return node().Killed("c1"); }));
}

// A51: restored, but not all of it could be tidied up.
TEST_F(RestoreLoopTest, AFailedCleanupIsToldAndDoesNoHarm) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().cleanup = InternalError("a mount stayed");
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  EXPECT_TRUE(cluster().AwaitEvent("pod", "RestoreSucceeded"));
  EXPECT_TRUE(cluster().AwaitEvent("pod", "RestoreCleanupFailed"));
  EXPECT_FALSE(node().Killed("c1"));
}

// P12
TEST_F(RestoreLoopTest, ConnectionsThatDidNotComeBackAreTold) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().dropped_peers = {"10.0.0.9:4222"};
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  EXPECT_TRUE(cluster().AwaitEvent("pod", "ConnectionsDropped"));
}

TEST_F(RestoreLoopTest, AWorkloadThatCannotBeToldIsKilled) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Fail("WriteSentinel", InternalError("a link is in the way"));
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "failed"));
  EXPECT_TRUE(node().Killed("c1"));
}

// Several targets: one artifact into each, one word for all.
TEST_F(RestoreLoopTest, TheSumWaitsForEveryTarget) {
  Store();
  cluster().CreateRestore("pod", "lark", "main, second", [](json::Value& pod) {
    pod["spec"]["containers"].Append(
        json::Value::Object({{"name", "second"}, {"image", "registry.example/engine:1"}}));
  });
  cluster().Run("pod", {{}, {.name = "second", .id = "c2"}});
  const auto agent = env_.NewAgent();
  agent->work().Block("Restore");
  agent->Start();
  agent->work().AwaitCalls("Restore", 2);
  EXPECT_TRUE(cluster().AwaitSum("pod", "in_progress"));
  agent->work().Unblock("Restore");
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
  EXPECT_EQ(cluster().RestoreStatus("pod", "main"), "completed");
  EXPECT_EQ(cluster().RestoreStatus("pod", "second"), "completed");
  EXPECT_EQ(node().Count("restore lark/1 c1") + node().Count("restore lark/1 c2"), 2U);
}

TEST_F(RestoreLoopTest, WaitsForTheMemoryServiceBeforeTheWorkloadGoesOn) {
  Store();
  const PodFacts pod = cluster().CreateRestore("pod", "lark", "main", [](json::Value& object) {
    object["metadata"]["annotations"].Set(snapshot::kGmsDirectoryAnnotation, "/gms");
  });
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  node().Await("restore lark/1 c1");
  agent->work().AwaitCalls("WaitForSentinel", 1);
  EXPECT_FALSE(node().HasFile("c1", snapshot::kRestoreCompleteFile));
  node().MakeFile("c1", "/gms/gms-load-complete-" + pod.uid);
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
}

TEST_F(RestoreLoopTest, WhoWaitsForTheMemoryServiceTakesNobodysTurn) {
  Store();
  cluster().CreateRestore("pod", "lark", "main", [](json::Value& object) {
    object["metadata"]["annotations"].Set(snapshot::kGmsDirectoryAnnotation, "/gms");
  });
  cluster().Run("pod", {{}});
  AgentOptions options = AgentRig::TestOptions();
  options.limits.restores = 1;
  const auto agent = env_.NewAgent(options);
  agent->Start();
  agent->work().AwaitCalls("WaitForSentinel", 1);
  cluster().CreateRestore("other", "lark");
  cluster().Run("other", {{"main", "c2"}});
  EXPECT_TRUE(cluster().AwaitSum("other", "completed"));
  EXPECT_TRUE(cluster().AwaitSum("pod", "in_progress"));
}

TEST_F(RestoreLoopTest, ARestoreHasADeadline) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  AgentOptions options = AgentRig::TestOptions();
  options.restore_timeout = 100ms;
  const auto agent = env_.NewAgent(options);
  agent->work().Block("Restore");
  agent->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "failed"));
  EXPECT_TRUE(node().Killed("c1"));
}

// W24: nothing is remembered of a pod that is gone, and what runs for it ends.
TEST_F(RestoreLoopTest, ADeletedPodEndsItsRestore) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->work().Block("Restore");
  agent->Start();
  agent->work().AwaitCalls("Restore", 1);
  cluster().DeletePod("pod");
  EXPECT_TRUE(Until([&] { return agent->agent().running() == 0; }));
  agent->work().Unblock("Restore");
  // Another of the same name, and even the same container's name, starts afresh.
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  EXPECT_TRUE(cluster().AwaitSum("pod", "completed"));
}

// Its agent was killed, and then it ended: nobody else would ever say that it failed.
TEST_F(RestoreLoopTest, AContainerThatEndedWhileNobodyLookedHasFailed) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  {
    const auto agent = env_.NewAgent();
    agent->work().Block("Restore");
    agent->Start();
    agent->work().AwaitCalls("Restore", 1);
    agent->Die();
  }
  ASSERT_EQ(cluster().RestoreStatus("pod", "main"), "in_progress");
  cluster().Run("pod", {{.exit_code = 137}});
  const auto next = env_.NewAgent();
  next->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "failed"));
  EXPECT_TRUE(cluster().AwaitSum("pod", "failed"));
  EXPECT_THAT(Message("pod"), HasSubstr("ended while"));
  EXPECT_EQ(next->work().calls("Restore"), 0);
}

// W18: who clears the annotations asks for another restore of the same container.
TEST_F(RestoreLoopTest, ClearedAnnotationsAskForAnotherRestore) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitSum("pod", "completed"));
  ASSERT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  const auto keys = snapshot::KeysOfTarget("main");
  json::Value patch;
  patch["metadata"]["annotations"].Set(keys->status, nullptr);
  patch["metadata"]["annotations"].Set(keys->container_id, nullptr);
  cluster().SetPod("pod", patch);
  node().Await("restore lark/1 c1", 2);
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
}

// An agent killed before or after each of its writes and deeds is succeeded by one that restores.
TEST_F(RestoreLoopTest, AnAgentKilledAtAnyStepIsSucceededByAnother) {
  int let_gos = 0;
  for (int step = 0;; ++step) {
    SCOPED_TRACE("killed at step " + std::to_string(step));
    MemoryCluster env;
    env.node.Store("lark", "1", {true, "content-uid", "ns", "digest-1", 100});
    env.cluster.CreateRestore("pod", "lark");
    env.cluster.Run("pod", {{}});
    const auto first = env.NewAgent();
    first->DieAtStep(step);
    first->Start();
    ASSERT_TRUE(Until([&] {
      return first->steps() > step ||
             env.cluster.Pod("pod").Annotation(snapshot::kRestoreStatusAnnotation) == "completed";
    }));
    const bool completed = first->steps() <= step;
    SCOPED_TRACE(first->last_step());
    first->Die();
    // Once it was told to go on, nobody restores over what it does.
    const bool let_go = env.node.HasFile("c1", snapshot::kRestoreCompleteFile);
    const size_t restored = env.node.Count("restore lark/1 c1");
    let_gos += let_go ? 1 : 0;
    const auto second = env.NewAgent();
    second->Start();
    ASSERT_TRUE(env.cluster.AwaitSum("pod", "completed")) << second->Log();
    EXPECT_TRUE(env.node.HasFile("c1", snapshot::kRestoreCompleteFile));
    EXPECT_FALSE(env.node.Killed("c1"));
    if (let_go) {
      EXPECT_EQ(env.node.Count("restore lark/1 c1"), restored) << "restored over what runs";
    }
    if (completed) {
      EXPECT_GT(step, 6) << "the steps are not counted";
      EXPECT_GT(let_gos, 1) << "it never died between letting go and telling";
      return;
    }
  }
}

// It was noted, and the agent was killed before it could let go.
TEST_F(RestoreLoopTest, WhatIsNotedAsRestoredIsLetGoAndToldOf) {
  Store();
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  {
    const auto agent = env_.NewAgent();
    agent->work().Block("WriteSentinel");
    agent->Start();
    agent->work().AwaitCalls("WriteSentinel", 1);
    agent->Die();
  }
  ASSERT_EQ(cluster().RestoreStatus("pod", "main"), "in_progress");
  ASSERT_FALSE(node().HasFile("c1", snapshot::kRestoreCompleteFile));
  const auto next = env_.NewAgent();
  next->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
  EXPECT_TRUE(node().HasFile("c1", snapshot::kRestoreCompleteFile));
  EXPECT_EQ(next->work().calls("Restore"), 0);
}

}  // namespace
}  // namespace hearth::agent::node
