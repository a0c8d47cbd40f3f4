// What becomes of artifacts whose orders are deleted, on an API server in memory and a node whose
// outcomes the tests set.
#include "agent/node/removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/node/testing/memory_cluster.h"
#include "base/testing/status_matchers.h"
#include "snapshot/protocol/names.h"

namespace hearth::agent::node {
namespace {

class RemovalTest : public testing::Test {
 protected:
  // Orders whose artifact goes with them.
  static void WithFinalizer(json::Value& content) {
    content["metadata"]["finalizers"].Append(snapshot::kArtifactFinalizer);
  }
  // What an agent before has told of the order.
  void TellArtifact(const std::string& content, const std::string& id) {
    json::Value status;
    status["status"]["artifact"].Set("checkpointID", id);
    status["status"]["artifact"].Set("version", "1");
    kube::WriteOptions of_status;
    of_status.subresource = "status";
    const std::string body = status.Write();
    ASSERT_OK(cluster().client().Patch(Contents(), {"", content}, kube::PatchType::kMerge,
                                       json::View::Trusted(body), cluster().Limit(), of_status));
  }
  bool AwaitDeleted(const std::string& content) {
    return cluster().AwaitContent(content,
                                  [](const ContentFacts& facts) { return facts.artifact_deleted; });
  }

  Cluster& cluster() { return env_.cluster; }
  NodeState& node() { return env_.node; }
  MemoryCluster env_;
};

// Deletion hands the artifact over to the agent.
TEST_F(RemovalTest, TheArtifactGoesWithItsOrder) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{}});
  cluster().CreateContent("content", pod, WithFinalizer);
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitReady("content"));
  cluster().DeleteContent("content");
  node().Await("remove lark/1");
  EXPECT_TRUE(AwaitDeleted("content"));
  EXPECT_FALSE(node().Find("lark", "1").present);
}

// The node that captured is gone: the operator asks another agent by the label.
TEST_F(RemovalTest, AnotherNodesArtifactIsRemovedWhenAsked) {
  PodFacts pod;
  pod.key = {"ns", "long-gone"};
  const ContentFacts order = cluster().CreateContent("content", pod, [](json::Value& content) {
    content["spec"]["source"].Set("nodeName", "node-2");
    WithFinalizer(content);
  });
  node().Store("lark", "1", {true, order.uid, "ns", "digest", 1});
  TellArtifact("content", "lark");
  cluster().DeleteContent("content");
  const auto agent = env_.NewAgent();
  agent->Start();
  node().Await("remove lark/1");
  EXPECT_TRUE(AwaitDeleted("content"));
}

TEST_F(RemovalTest, AnArtifactOfAnotherOrderStays) {
  const PodFacts pod = cluster().CreateSource("source", "lark");
  cluster().Run("source", {{}});
  cluster().CreateContent("content", pod, WithFinalizer);
  node().Store("lark", "1", {true, "another-content", "ns", "digest", 1});
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitFailed("content", "ArtifactConflict"));
  cluster().DeleteContent("content");
  EXPECT_TRUE(AwaitDeleted("content"));
  EXPECT_TRUE(node().Find("lark", "1").present);
  EXPECT_EQ(agent->work().calls("Remove"), 0);
}

// Captured by hand, and meant to stay: a status that names it is no proof.
TEST_F(RemovalTest, AnArtifactOfNobodyStays) {
  PodFacts pod;
  pod.key = {"ns", "source"};
  cluster().CreateContent("content", pod, WithFinalizer);
  node().Store("lark", "1", {true, "", "ns", "digest", 1});
  TellArtifact("content", "lark");
  cluster().DeleteContent("content");
  const auto agent = env_.NewAgent();
  agent->Start();
  EXPECT_TRUE(AwaitDeleted("content"));
  EXPECT_TRUE(node().Find("lark", "1").present);
}

// What is damaged goes with its order as well, also when it does not say any more whose it is.
TEST_F(RemovalTest, ADamagedArtifactIsRemovedWithItsOrder) {
  std::vector<std::string> uids;
  for (const char* const name : {"lark", "wren"}) {
    cluster().CreateSource(name, name);
    cluster().Run(name, {{.id = std::string("c-") + name}});
    uids.push_back(cluster().CreateContent(name, cluster().Pod(name), WithFinalizer).uid);
  }
  const auto agent = env_.NewAgent();
  agent->Start();
  ASSERT_TRUE(cluster().AwaitReady("lark"));
  ASSERT_TRUE(cluster().AwaitReady("wren"));
  node().Store("lark", "1", {true, uids[0], "ns", "", 0, "files.img is missing"});
  node().Store("wren", "1", {true, "", "", "", 0, "manifest.yaml is damaged"});
  for (const char* const name : {"lark", "wren"}) {
    cluster().DeleteContent(name);
    EXPECT_TRUE(AwaitDeleted(name));
    EXPECT_FALSE(node().Find(name, "1").present) << name;
  }
}

}  // namespace
}  // namespace hearth::agent::node
