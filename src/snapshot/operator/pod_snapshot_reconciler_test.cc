#include "snapshot/operator/pod_snapshot_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "controller/testing/pruned.h"
#include "snapshot/operator/testing/operator_rig.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::IsEmpty;

http::Response Refusal(int code) {
  return {.status = code,
          .headers = {},
          .body = R"({"kind":"Status","status":"Failure","message":"made up by the test"})"};
}

bool Asks(const http::Request& request, const std::string& method, const std::string& path) {
  return request.method == method && request.target.find(path) != std::string::npos;
}

// A96, A98, A99: from the wish to Ready.
TEST(PodSnapshotReconciler, ASnapshotIsBoundAndFollowsItsContent) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  const std::string uid = rig.PutSnapshot("warm", "worker");
  const std::string content = rig.AwaitBound("warm");
  EXPECT_EQ(content, "podsnapshotcontent-" + uid);
  EXPECT_EQ(rig.Content(content)->FindPath("metadata.labels")->Write(),
            R"({"nvidia.com/snapshot-node":"node-a"})");
  rig.AwaitCondition("warm", "Ready", "False Pending");
  rig.SetCondition(content, "Ready", "True", "Captured");
  rig.AwaitCondition("warm", "Ready", "True Captured");
  EXPECT_EQ(rig.Condition(rig.Snapshot("warm"), "Failed"), "False Captured");
  OperatorRig::Await([&] { return rig.HasEvent("Captured"); });
}

// A100: what has settled writes nothing.
TEST(PodSnapshotReconciler, ASettledSnapshotIsNotWrittenAgain) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.SetCondition(rig.AwaitBound("warm"), "Ready", "True", "Captured");
  rig.AwaitCondition("warm", "Ready", "True Captured");
  const size_t before = rig.Writes().size();
  rig.PutPod("probe", "node-a");
  rig.PutSnapshot("other", "probe");
  rig.AwaitCondition("other", "Ready", "False Pending");
  const auto writes = rig.Writes();
  for (size_t i = before; i < writes.size(); ++i) {
    EXPECT_EQ(writes[i].find("warm"), std::string::npos) << writes[i];
  }
}

// P5: what a restore is measured against, where people look for it; once.
TEST(PodSnapshotReconciler, ASnapshotTellsHowLongTheColdStartTook) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.SetCondition(rig.AwaitBound("warm"), "Ready", "True", "Captured",
                   Value::Object({{"checkpointID", "abc"}, {"coldStartMilliseconds", 93250}}));
  OperatorRig::Await([&] {
    const auto snapshot = rig.Snapshot("warm");
    const Value* const annotations = snapshot->FindPath("metadata.annotations");
    const Value* const said =
        annotations == nullptr ? nullptr : annotations->Find("hearth.dev/cold-start-seconds");
    return said != nullptr && said->StringOr("") == "93.250";
  });
  const size_t before = rig.Writes().size();
  rig.PutPod("probe", "node-a");
  rig.PutSnapshot("other", "probe");
  rig.AwaitCondition("other", "Ready", "False Pending");
  const auto writes = rig.Writes();
  for (size_t i = before; i < writes.size(); ++i) {
    EXPECT_EQ(writes[i].find("warm"), std::string::npos) << writes[i];
  }
}

// A96, W15: no polling, no backoff: scheduling itself goes on with it.
TEST(PodSnapshotReconciler, SchedulingThePodIsNoticed) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  OperatorRig::Await([&] { return rig.HasEvent("WaitingForNode"); });
  EXPECT_THAT(rig.api().All(PodSnapshotContents()), IsEmpty());
  rig.PutPod("worker", "node-a");
  EXPECT_EQ(rig.Content(rig.AwaitBound("warm"))->FindPath("spec.source.nodeName")->string(),
            "node-a");
}

// A97
TEST(PodSnapshotReconciler, AMissingPodFailsTheSnapshotWithAnEvent) {
  OperatorRig rig;
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitCondition("warm", "Failed", "True SourcePodNotFound");
  EXPECT_EQ(rig.Condition(rig.Snapshot("warm"), "Ready"), "False SourcePodNotFound");
  OperatorRig::Await([&] { return rig.HasEvent("SourcePodNotFound"); });
  // A99: for good.
  rig.PutPod("worker", "node-a");
  rig.PutPod("probe", "node-a");
  rig.PutNode("node-a");
  rig.PutSnapshot("probe", "probe");
  rig.AwaitBound("probe");
  EXPECT_EQ(rig.Condition(rig.Snapshot("warm"), "Failed"), "True SourcePodNotFound");
}

// A97
TEST(PodSnapshotReconciler, AContentOfSomebodyElseIsNotTaken) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  const std::string uid = rig.PutSnapshot("warm", "worker");
  Value foreign = kube::NewObject(PodSnapshotContents(), {"", ContentNameOf(uid)});
  foreign.MakePath("spec.snapshotRef") =
      Value::Object({{"namespace", "other"}, {"name", "warm"}, {"uid", ""}});
  rig.api().Put(PodSnapshotContents(), foreign);
  rig.Start();
  rig.AwaitCondition("warm", "Failed", "True ContentConflict");
}

// A98: the operator died between the content and the status.
TEST(PodSnapshotReconciler, AContentThatWasNotWrittenDownIsAdopted) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.api().Intercept([](const http::Request& request) -> std::optional<http::Response> {
    return Asks(request, "PATCH", "/podsnapshots/warm/status") ? std::optional(Refusal(500))
                                                               : std::nullopt;
  });
  rig.Start();
  const std::string uid = rig.PutSnapshot("warm", "worker");
  OperatorRig::Await([&] { return rig.Content("podsnapshotcontent-" + uid).has_value(); });
  rig.Stop();
  EXPECT_EQ(rig.Condition(rig.Snapshot("warm"), "Ready"), "");
  rig.api().Intercept({});
  rig.SetCondition("podsnapshotcontent-" + uid, "Ready", "True", "Captured");
  rig.Start();
  rig.AwaitCondition("warm", "Ready", "True Captured");
  EXPECT_EQ(rig.api().All(PodSnapshotContents()).size(), 1U);
}

// A101
TEST(PodSnapshotReconciler, AFailureToCreateTheContentIsToldAndTriedAgain) {
  std::atomic<int> refused = 0;
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    const bool refuse = Asks(request, "POST", "/podsnapshotcontents") && refused < 3;
    refused += refuse ? 1 : 0;
    return refuse ? std::optional(Refusal(403)) : std::nullopt;
  });
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitBound("warm");
  OperatorRig::Await([&] { return rig.HasEvent("SnapshotContentCreateFailed"); });
  EXPECT_EQ(refused, 3);
}

// A101: a pod that cannot be asked about is not missing.
TEST(PodSnapshotReconciler, APodThatCannotBeReadIsNoMissingPod) {
  std::atomic<int> refused = 0;
  OperatorRig rig;
  rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    const bool refuse = Asks(request, "GET", "/pods/worker") && refused < 3;
    refused += refuse ? 1 : 0;
    return refuse ? std::optional(Refusal(403)) : std::nullopt;
  });
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitCondition("warm", "Failed", "True SourcePodNotFound");
  EXPECT_EQ(refused, 3);
}

// The cache of pods lags behind that of snapshots: no verdict before it has caught up.
TEST(PodSnapshotReconciler, APodThatTheCacheDoesNotShowYetIsNoMissingPod) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.Start();
  rig.PutSnapshot("first", "none");
  rig.AwaitCondition("first", "Failed", "True SourcePodNotFound");
  rig.api().HoldWatches(true);
  rig.PutSnapshot("warm", "worker");
  rig.PutPod("worker", "node-a");
  rig.api().HoldWatches(false);
  rig.AwaitBound("warm");
  EXPECT_EQ(rig.Condition(rig.Snapshot("warm"), "Failed"), "");
}

// A99: an answer that is none changes nothing; W14: one that says gone fails it.
TEST(PodSnapshotReconciler, AContentDeletedByHandFailsTheSnapshot) {
  std::atomic<int> refused = 0;
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  const std::string content = rig.AwaitBound("warm");
  rig.AwaitCondition("warm", "Ready", "False Pending");
  rig.api().Intercept([&](const http::Request& request) -> std::optional<http::Response> {
    const bool refuse = Asks(request, "GET", "/podsnapshotcontents/podsnap") && refused < 2;
    refused += refuse ? 1 : 0;
    return refuse ? std::optional(Refusal(403)) : std::nullopt;
  });
  rig.Delete(PodSnapshotContents(), {"", content});
  rig.AwaitCondition("warm", "Failed", "True ContentLost");
  EXPECT_EQ(refused, 2);
}

// A102: the finalizer comes first, and a snapshot takes its content with it.
TEST(PodSnapshotReconciler, ADeletedSnapshotLeavesNothingBehind) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitBound("warm");
  EXPECT_EQ(rig.Snapshot("warm")->FindPath("metadata.finalizers")->Write(),
            R"(["nvidia.com/podsnapshotcontent-cleanup"])");
  EXPECT_THAT(rig.Writes().front(), testing::HasSubstr("PATCH"));
  rig.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return !rig.Snapshot("warm").has_value(); });
  EXPECT_THAT(rig.api().All(PodSnapshotContents()), IsEmpty());
}

// A102
TEST(PodSnapshotReconciler, AnUnboundSnapshotGoesAtOnce) {
  OperatorRig rig;
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitCondition("warm", "Failed", "True SourcePodNotFound");
  rig.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return !rig.Snapshot("warm").has_value(); });
}

TEST(PodSnapshotReconciler, AProvidedContentIsBoundAndKept) {
  OperatorRig rig;
  Value provided = kube::NewObject(PodSnapshotContents(), {"", "golden"});
  provided.MakePath("spec.snapshotRef") = Value::Object({{"namespace", "ns"}, {"name", "warm"}});
  provided.MakePath("spec.source.podRef.name") = "worker";
  provided.MakePath("spec.source.nodeName") = "elsewhere";
  rig.api().Put(PodSnapshotContents(), provided);
  rig.SetCondition("golden", "Ready", "True", "Captured");
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  EXPECT_EQ(rig.AwaitBound("warm"), "golden");
  rig.AwaitCondition("warm", "Ready", "True Captured");
  rig.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return !rig.Snapshot("warm").has_value(); });
  EXPECT_TRUE(rig.Content("golden").has_value());
}

// A103: what others look after is not touched.
TEST(PodSnapshotReconciler, SnapshotsOfExcludedNamespacesAreLeftAlone) {
  SnapshotControllerOptions options = OperatorRig::Patient();
  options.namespaces.excluded = {"*ephemeral*"};
  OperatorRig rig(options);
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  Value other = kube::NewObject(PodSnapshots(), {"an-ephemeral-one", "warm"});
  other.MakePath("spec.source.podRef.name") = "worker";
  rig.api().Put(PodSnapshots(), other);
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitBound("warm");
  EXPECT_EQ(
      rig.api().Find(PodSnapshots(), {"an-ephemeral-one", "warm"})->FindPath("metadata.finalizers"),
      nullptr);
}

// A102: also the last state of a content that is gone leads to its snapshot; one without a name, or
// an object of another kind, to none.
TEST(PodSnapshotReconciler, AContentLeadsToItsSnapshot) {
  controller::MemoryApi api;
  net::EventLoop loop("test");
  const auto transport = kube::MakeHandlerTransport(loop, api.Handler());
  const auto manager =
      controller::Manager::CreateWith({.name = "test"}, *transport, Logger::Null());
  const SnapshotCaches own(*manager, {});
  std::vector<kube::ObjectKey> keys;
  const auto map = [&](std::string_view text) {
    keys.clear();
    ContentToSnapshots(own.snapshots)(*controller::MakeCached(text),
                                      [&](const kube::ObjectKey& key) { keys.push_back(key); });
    return keys;
  };
  EXPECT_THAT(
      map(R"({"metadata":{"name":"c"},"spec":{"snapshotRef":{"namespace":"a","name":"b"}}})"),
      ElementsAre(kube::ObjectKey{"a", "b"}));
  EXPECT_THAT(map(R"({"metadata":{"name":"c"},"spec":{"snapshotRef":{"namespace":"a"}}})"),
              IsEmpty());
  EXPECT_THAT(map(R"({"metadata":{"name":"c"},"spec":{"nodeName":"n"}})"), IsEmpty());
}

}  // namespace
}  // namespace hearth::snapshot
