#include "snapshot/operator/content_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "snapshot/operator/testing/operator_rig.h"
#include "snapshot/protocol/conditions.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

using json::Value;

const Value kDelete = Value::Object({{std::string(kDeletionPolicyAnnotation), "Delete"}});
const Value kArtifact = Value::Object({{"checkpointID", "llama"}, {"version", "1"}});

class ContentReconcilerTest : public testing::Test {
 protected:
  // A snapshot whose capture is under way on node-a.
  std::string Begin(const Value& annotations = {}) {
    rig_.PutNode("node-a");
    rig_.PutPod("worker", "node-a");
    rig_.Start();
    rig_.PutSnapshot("warm", "worker", annotations);
    std::string content = rig_.AwaitBound("warm");
    rig_.AwaitCondition("warm", "Ready", "False Pending");
    return content;
  }
  std::string Capture(const Value& annotations) {
    std::string content = Begin(annotations);
    rig_.SetCondition(content, "Ready", "True", "Captured", kArtifact);
    rig_.AwaitCondition("warm", "Ready", "True Captured");
    return content;
  }
  std::string Addressee(const std::string& content) const {
    const auto found = rig_.Content(content);
    return found.has_value() ? found->FindPath("metadata.labels")->Find(kNodeLabel)->string()
                             : "gone";
  }

  OperatorRig rig_;
};

// W13
TEST_F(ContentReconcilerTest, ANodeThatIsDeletedFailsTheSnapshot) {
  Begin();
  rig_.Delete(kube::types::Nodes(), {"", "node-a"});
  rig_.AwaitCondition("warm", "Failed", "True NodeLost");
  EXPECT_EQ(rig_.Condition(rig_.Snapshot("warm"), "Ready"), "False NodeLost");
}

// W13
TEST(ContentReconciler, AnAgentThatFallsSilentFailsTheSnapshot) {
  SnapshotControllerOptions options = OperatorRig::Patient();
  options.limits.agent_grace = std::chrono::milliseconds(1);
  OperatorRig rig(options);
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.PutAgent("node-a", "t1", 1);
  rig.Start();
  rig.PutSnapshot("warm", "worker");
  rig.AwaitCondition("warm", "Failed", "True AgentLost");
}

// W13
TEST(ContentReconciler, ADeadlineFailsTheSnapshot) {
  OperatorRig rig;
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  // The server in memory does not say when an object was created.
  Value snapshot = kube::NewObject(PodSnapshots(), {"ns", "warm"});
  snapshot["metadata"].Set("creationTimestamp", "2026-01-01T00:00:00Z");
  snapshot.MakePath("spec.source.podRef.name") = "worker";
  snapshot["metadata"]["annotations"][kDeadlineAnnotation] = "0";
  rig.api().Put(PodSnapshots(), snapshot);
  rig.AwaitCondition("warm", "Ready", "False Pending");
  Value hurried = *rig.Snapshot("warm");
  hurried["metadata"]["annotations"][kDeadlineAnnotation] = "1h";
  rig.api().Put(PodSnapshots(), hurried);
  rig.AwaitCondition("warm", "Failed", "True DeadlineExceeded");
}

// P9: deleted by the agent, and only then gone.
TEST_F(ContentReconcilerTest, AnArtifactIsDeletedWithItsSnapshot) {
  rig_.PutAgent("node-a");
  const std::string content = Capture(kDelete);
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] {
    const auto found = rig_.Content(content);
    return found.has_value() && found->FindPath("metadata.deletionTimestamp") != nullptr;
  });
  EXPECT_TRUE(rig_.Snapshot("warm").has_value());
  rig_.SetCondition(content, "ArtifactDeleted", "True", "Deleted");
  OperatorRig::Await([&] { return !rig_.Snapshot("warm").has_value(); });
  EXPECT_FALSE(rig_.Content(content).has_value());
}

TEST_F(ContentReconcilerTest, DeletionIsHandedToAnotherAgentWhenTheNodesOwnIsGone) {
  const std::string content = Capture(kDelete);
  rig_.Delete(kube::types::Nodes(), {"", "node-a"});
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  EXPECT_EQ(Addressee(content), "node-a");
  rig_.PutAgent("node-b");
  OperatorRig::Await([&] { return Addressee(content) == "node-b"; });
  rig_.SetCondition(content, "ArtifactDeleted", "True", "Deleted");
  OperatorRig::Await([&] { return !rig_.Snapshot("warm").has_value(); });
}

TEST(ContentReconciler, WhereNobodyAnswersTheArtifactIsAbandonedVisibly) {
  SnapshotControllerOptions options;
  options.limits.delete_timeout = std::chrono::minutes(1);  // the deletion is stamped long past
  OperatorRig rig(options);
  rig.PutNode("node-a");
  rig.PutPod("worker", "node-a");
  rig.Start();
  rig.PutSnapshot("warm", "worker", kDelete);
  rig.SetCondition(rig.AwaitBound("warm"), "Ready", "True", "Captured", kArtifact);
  rig.AwaitCondition("warm", "Ready", "True Captured");
  rig.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return !rig.Snapshot("warm").has_value(); });
  OperatorRig::Await([&] { return rig.HasEvent("ArtifactAbandoned"); });
  EXPECT_EQ(rig.manager()
                .metrics()
                .counter("hearth_snapshot_artifact_deletions_total", "", {{"result", "abandoned"}})
                .value(),
            1);
}

TEST_F(ContentReconcilerTest, APolicySetAtTheLastMomentCounts) {
  const std::string content = Capture({});
  EXPECT_EQ(rig_.Content(content)->FindPath("metadata.finalizers"), nullptr);
  Value snapshot = *rig_.Snapshot("warm");
  snapshot["metadata"].Set("annotations", kDelete);
  rig_.api().Put(PodSnapshots(), snapshot);
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] {
    const auto found = rig_.Content(content);
    EXPECT_TRUE(found.has_value()) << "it left without its artifact";
    return !found.has_value() || found->FindPath("metadata.deletionTimestamp") != nullptr;
  });
  rig_.SetCondition(content, "ArtifactDeleted", "True", "Deleted");
  OperatorRig::Await([&] { return !rig_.Snapshot("warm").has_value(); });
}

TEST_F(ContentReconcilerTest, ASnapshotDeletedWhileItIsCapturedWaitsForTheAgentToStop) {
  rig_.PutAgent("node-a");
  const std::string content = Begin(kDelete);
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await(
      [&] { return rig_.Content(content)->FindPath("metadata.deletionTimestamp") != nullptr; });
  rig_.SetCondition(content, "ArtifactDeleted", "True", "NothingStored");
  OperatorRig::Await([&] { return !rig_.Snapshot("warm").has_value(); });
}

TEST_F(ContentReconcilerTest, AContentWhoseSnapshotWasForcedAwayGoes) {
  const std::string content = Begin();
  Value snapshot = *rig_.Snapshot("warm");
  snapshot["metadata"].Erase("finalizers");
  snapshot["metadata"].Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  rig_.api().Put(PodSnapshots(), snapshot);
  OperatorRig::Await([&] { return !rig_.Content(content).has_value(); });
  OperatorRig::Await([&] { return rig_.HasEvent("Orphaned"); });
}

TEST_F(ContentReconcilerTest, AnArtifactThatAnotherContentHasStays) {
  const std::string content = Capture(kDelete);
  Value twin = kube::NewObject(PodSnapshotContents(), {"", "twin"});
  twin.MakePath("spec.snapshotRef") = Value::Object({{"namespace", "ns"}, {"name", "later"}});
  twin.MakePath("status.artifact") = kArtifact;
  rig_.api().Put(PodSnapshotContents(), twin);
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return !rig_.Content(content).has_value(); });
  OperatorRig::Await([&] { return rig_.HasEvent("ArtifactShared"); });
}

TEST_F(ContentReconcilerTest, SnapshotsAreCountedByState) {
  Capture({});
  const auto gauge = [&](const std::string& state) {
    return rig_.manager().metrics().gauge("hearth_snapshots", "", {{"state", state}}).value();
  };
  OperatorRig::Await([&] { return gauge("ready") == 1 && gauge("pending") == 0; });
  rig_.Delete(PodSnapshots(), {"ns", "warm"});
  OperatorRig::Await([&] { return gauge("ready") == 0 && gauge("pending") == 0; });
}

}  // namespace
}  // namespace hearth::snapshot
