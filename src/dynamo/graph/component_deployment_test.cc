#include "dynamo/graph/component_deployment.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

GraphFacts Graph() {
  GraphFacts graph{.name = "g", .name_space = "ns", .uid = "u"};
  graph.spec.backend_framework = dyn::BackendFramework::kVllm;
  graph.spec.labels["team"] = "a";
  dyn::ComponentSpec& worker = graph.spec.components.emplace_back();
  worker.name = "Decode";
  worker.type = dyn::ComponentType::kDecode;
  auto& checkpoint = worker.experimental.emplace().checkpoint.emplace();
  checkpoint.enabled = true;
  checkpoint.startup_policy = dyn::CheckpointStartupPolicy::kWaitForCheckpoint;
  checkpoint.identity.emplace().model = "m";
  checkpoint.job.emplace();
  return graph;
}

// X9
TEST(ComponentDeployment, CarriesEverythingAndTheCheckpointByName) {
  const GraphFacts graph = Graph();
  ComponentStart start;
  start.way = StartWay::kWaits;
  start.checkpoint = "checkpoint-abc";
  const Value object = RenderComponentDeployment({.graph = graph,
                                                  .component = graph.spec.components[0],
                                                  .worker_hash = "0a1b2c3d",
                                                  .replicas = 0,
                                                  .restart_id = "r1",
                                                  .start = start});
  EXPECT_EQ(object.FindPath("metadata.name")->string(), "g-decode-0a1b2c3d");
  EXPECT_EQ(pods::Label(object, "nvidia.com/dynamo-worker-hash"), "0a1b2c3d");
  EXPECT_EQ(object.FindPath("spec.replicas")->Int(), 0);
  EXPECT_EQ(object.FindPath("spec.backendFramework")->string(), "vllm");
  EXPECT_EQ(object.FindPath("spec.podTemplate.metadata.labels.team")->string(), "a");
  EXPECT_EQ(pods::Annotation(*object.FindPath("spec.podTemplate"), "nvidia.com/restartAt"), "r1");
  const Value& checkpoint = *object.FindPath("spec.experimental.checkpoint");
  EXPECT_EQ(pods::Text(checkpoint, "checkpointRef"), "checkpoint-abc");
  EXPECT_EQ(pods::Text(checkpoint, "startupPolicy"), "WaitForCheckpoint");
  EXPECT_EQ(checkpoint.Find("identity"), nullptr);
  EXPECT_EQ(checkpoint.Find("job"), nullptr);
}

TEST(ComponentDeployment, KnowsItsGraphByItsOwner) {
  const auto owned = json::Parse(
      R"({"metadata":{"annotations":{"x":"y"},"ownerReferences":[{"kind":"DynamoGraphDeployment",)"
      R"("name":"g","uid":"u","controller":true}]}})");
  const GraphFacts graph = GraphOfDeployment({"g-w", "ns", "own"}, owned->view());
  EXPECT_EQ(graph.name, "g");
  EXPECT_EQ(graph.uid, "u");
  EXPECT_EQ(graph.Annotation("x"), "y");
  const auto alone = json::Parse(R"({"metadata":{}})");
  EXPECT_EQ(GraphOfDeployment({"g-w", "ns", "own"}, alone->view()).name, "g-w");
}

}  // namespace
}  // namespace hearth::dynamo
