#include "dynamo/model/component_hash.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;

dyn::ComponentSpec Component(const std::string& name, dyn::ComponentType type) {
  dyn::ComponentSpec component;
  component.name = name;
  component.type = type;
  component.pod_template = *json::ParseValue(
      R"({"spec":{"containers":[{"name":"main","image":"engine:1","args":["--model","m"]}]}})");
  component.experimental.emplace().checkpoint.emplace().enabled = true;
  return component;
}

GraphFacts Graph() {
  GraphFacts graph{.name = "g", .name_space = "ns", .uid = "u"};
  graph.spec.components = {Component("front", dyn::ComponentType::kFrontend),
                           Component("prefill", dyn::ComponentType::kPrefill),
                           Component("decode", dyn::ComponentType::kDecode)};
  return graph;
}

void SetImage(dyn::ComponentSpec& component, const char* image) {
  component.pod_template = *json::ParseValue(
      std::string(R"({"spec":{"containers":[{"name":"main","image":")") + image + R"("}]}})");
}

// X6: one value for all workers, which frontends have no part in.
TEST(WorkersHash, ChangesWithAnyWorkerAndWithNothingElse) {
  const GraphFacts graph = Graph();
  EXPECT_EQ(WorkersHash(graph).size(), 8U);
  GraphFacts other = Graph();
  SetImage(other.spec.components[0], "front:2");
  other.spec.components[1].replicas = 7;
  other.spec.components[1].min_available = 2;
  EXPECT_EQ(WorkersHash(other), WorkersHash(graph));
  SetImage(other.spec.components[2], "engine:2");
  EXPECT_NE(WorkersHash(other), WorkersHash(graph));
  other.spec.components.resize(1);
  EXPECT_EQ(WorkersHash(other), "");
}

// W15: how workers start does not roll them.
TEST(WorkersHash, KnowsNothingOfCheckpoints) {
  GraphFacts other = Graph();
  auto& checkpoint = *other.spec.components[1].experimental->checkpoint;
  checkpoint.startup_policy = dyn::CheckpointStartupPolicy::kWaitForCheckpoint;
  checkpoint.job.emplace().gms_client_containers = {"saver"};
  EXPECT_EQ(WorkersHash(other), WorkersHash(Graph()));
}

// W15: each component is captured for itself, and only for what is in its process.
TEST(CaptureHash, IsOfOneComponentAndOfItsProcess) {
  const GraphFacts graph = Graph();
  GraphFacts other = Graph();
  SetImage(other.spec.components[1], "engine:2");
  EXPECT_EQ(CaptureHash(other, other.spec.components[2]),
            CaptureHash(graph, graph.spec.components[2]));
  EXPECT_NE(CaptureHash(other, other.spec.components[1]),
            CaptureHash(graph, graph.spec.components[1]));

  dyn::ComponentSpec same = graph.spec.components[2];
  auto& checkpoint = *same.experimental->checkpoint;
  checkpoint.startup_policy = dyn::CheckpointStartupPolicy::kWaitForCheckpoint;
  checkpoint.deletion_policy = dyn::CheckpointDeletionPolicy::kRetain;
  same.replicas = 5;
  EXPECT_EQ(CaptureHash(graph, same), CaptureHash(graph, graph.spec.components[2]));
  checkpoint.job.emplace().gms_client_containers = {"saver"};
  EXPECT_NE(CaptureHash(graph, same), CaptureHash(graph, graph.spec.components[2]));
}

TEST(CaptureHash, TheLoaderIsTheConsumersOwnBusiness) {
  const GraphFacts graph = Graph();
  dyn::ComponentSpec component = graph.spec.components[1];
  component.experimental->gpu_memory_service.emplace().checkpoint.emplace();
  dyn::ComponentSpec with_loader = component;
  with_loader.experimental->gpu_memory_service->checkpoint->loader.emplace().image = "loader:2";
  EXPECT_EQ(CaptureHash(graph, with_loader), CaptureHash(graph, component));
  dyn::ComponentSpec with_saver = component;
  with_saver.experimental->gpu_memory_service->checkpoint->saver.emplace().image = "saver:2";
  EXPECT_NE(CaptureHash(graph, with_saver), CaptureHash(graph, component));
}

}  // namespace
}  // namespace hearth::dynamo
