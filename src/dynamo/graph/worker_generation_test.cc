#include "dynamo/graph/worker_generation.h"

#include <gtest/gtest.h>

#include "dynamo/model/component_hash.h"
#include "dynamo/model/labels.h"

namespace hearth::dynamo {
namespace {

GraphFacts Graph() {
  GraphFacts graph{.name = "g", .name_space = "ns", .uid = "u"};
  graph.spec.components.emplace_back().name = "w";
  graph.spec.components[0].type = api::dynamo::ComponentType::kWorker;
  return graph;
}

TEST(WorkerGeneration, AGraphWithoutWorkersHasNone) {
  GraphFacts graph = Graph();
  graph.spec.components[0].type = api::dynamo::ComponentType::kFrontend;
  EXPECT_EQ(GenerationOf(graph).hash, "");
  EXPECT_TRUE(GenerationOf(graph).is_noted());
}

TEST(WorkerGeneration, ANewGraphGoesByItsContent) {
  const WorkerGeneration generation = GenerationOf(Graph());
  EXPECT_EQ(generation.hash, WorkersHash(Graph()));
  EXPECT_FALSE(generation.is_noted());
}

// A cluster that is taken over: its workers go on under the hash that they run with.
TEST(WorkerGeneration, AHashOfAnotherOperatorStaysUntilWorkersChange) {
  for (const auto key : {kWorkerHashAnnotation, kOldWorkerHashAnnotation}) {
    GraphFacts graph = Graph();
    graph.annotations[std::string(key)] = "theirs00";
    EXPECT_EQ(GenerationOf(graph).hash, "theirs00");
    EXPECT_FALSE(GenerationOf(graph).is_noted());
    graph.annotations[std::string(kWorkerHashAnnotation)] = "theirs00";
    graph.annotations[std::string(kWorkerContentAnnotation)] = WorkersHash(graph);
    EXPECT_TRUE(GenerationOf(graph).is_noted());
    graph.spec.components[0].frontend_sidecar = "other";
    EXPECT_EQ(GenerationOf(graph).hash, WorkersHash(graph));
    EXPECT_FALSE(GenerationOf(graph).is_noted());
  }
}

}  // namespace
}  // namespace hearth::dynamo
