#include "dynamo/checkpoint/component_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using Policy = dyn::CheckpointStartupPolicy;

GraphFacts Graph() { return {.name = "my-dgd", .name_space = "default", .uid = "uid-1"}; }

dyn::ComponentSpec Worker(Policy policy = Policy::kImmediate) {
  dyn::ComponentSpec component;
  component.name = "worker";
  component.type = dyn::ComponentType::kWorker;
  component.experimental.emplace().checkpoint.emplace().enabled = true;
  component.experimental->checkpoint->startup_policy = policy;
  return component;
}

CheckpointFacts Found(dyn::CheckpointPhase phase) {
  CheckpointFacts facts;
  facts.name = "manual";
  facts.artifact_version = "3";
  facts.status.phase = phase;
  facts.status.checkpoint_id = "abc";
  return facts;
}

Value Template() {
  auto value =
      json::ParseValue(R"({"metadata":{"labels":{"nvidia.com/snapshot-is-restore-target":"true"}},)"
                       R"("spec":{"containers":[{"name":"main"}]}})");
  EXPECT_OK(value);
  return *value;
}

ComponentStart Start(const dyn::ComponentSpec& component, const CheckpointFacts* found) {
  auto start = PlanStart(component, CheckpointAskedBy(Graph(), component, "abc12345"), found);
  EXPECT_OK(start);
  return std::move(start).value_or(ComponentStart());
}

// H: the id of the known answer; X3, X4, A110
TEST(ComponentStartTest, AsksForTheNamedCheckpointElseForItsOwn) {
  dyn::ComponentSpec component = Worker();
  const auto own = CheckpointAskedBy(Graph(), component, "abc12345");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->name, "checkpoint-ef546284f45d8c6e5598b5c5b6eb711a");
  EXPECT_TRUE(own->automatic);
  component.experimental->checkpoint->checkpoint_ref = "manual";
  const auto named = CheckpointAskedBy(Graph(), component, "abc12345");
  EXPECT_EQ(named->name, "manual");
  EXPECT_FALSE(named->automatic);
  component.experimental->checkpoint->enabled = false;
  EXPECT_FALSE(CheckpointAskedBy(Graph(), component, "abc12345"));
}

TEST(ComponentStartTest, OnlyWorkersHaveGenerations) {
  dyn::ComponentSpec component = Worker();
  component.type = dyn::ComponentType::kFrontend;
  EXPECT_EQ(CheckpointAskedBy(Graph(), component, "a")->id,
            CheckpointAskedBy(Graph(), component, "b")->id);
}

// X4, X5, X9
TEST(ComponentStartTest, WaitsUntilReadyOnlyWhenToldTo) {
  const CheckpointFacts creating = Found(dyn::CheckpointPhase::kCreating);
  const CheckpointFacts ready = Found(dyn::CheckpointPhase::kReady);
  const dyn::ComponentSpec waiting = Worker(Policy::kWaitForCheckpoint);
  EXPECT_EQ(Start(waiting, nullptr).way, StartWay::kWaits);
  EXPECT_EQ(Start(waiting, &creating).way, StartWay::kWaits);
  EXPECT_EQ(Start(waiting, &ready).way, StartWay::kRestored);
  EXPECT_EQ(Start(Worker(), nullptr).way, StartWay::kPlain);
  EXPECT_EQ(Start(Worker(), &creating).way, StartWay::kCandidate);
  EXPECT_EQ(Start(Worker(), &ready).way, StartWay::kCandidate);
  EXPECT_EQ(Start(waiting, &ready).checkpoint_id, "abc");
}

// W8
TEST(ComponentStartTest, AFailedCheckpointIsTold) {
  CheckpointFacts failed = Found(dyn::CheckpointPhase::kFailed);
  failed.status.message = "no disk";
  const ComponentStart start = Start(Worker(Policy::kWaitForCheckpoint), &failed);
  EXPECT_TRUE(start.failed);
  EXPECT_EQ(start.message, "no disk");
}

// X4
TEST(ComponentStartTest, AMemoryServiceNeedsACheckpointWithOne) {
  dyn::ComponentSpec component = Worker();
  component.experimental->gpu_memory_service.emplace();
  const CheckpointFacts ready = Found(dyn::CheckpointPhase::kReady);
  const auto start = PlanStart(component, CheckpointAskedBy(Graph(), component, ""), &ready);
  EXPECT_THAT(std::string(start.status().message()),
              HasSubstr("requires resolved checkpoint \"manual\" to enable gpuMemoryService"));
}

// I4
TEST(ComponentStartTest, EnginesThatStandByAreAllRestored) {
  dyn::ComponentSpec component = Worker();
  component.experimental->gpu_memory_service.emplace();
  component.experimental->failover.emplace();
  EXPECT_THAT(Start(component, nullptr).targets, ElementsAre("engine-0", "engine-1"));
  EXPECT_THAT(Start(Worker(), nullptr).targets, ElementsAre("main"));
}

// X11, X12
TEST(ComponentStartTest, TemplatesHaveTheMarksOfTheirWayAndNoOthers) {
  const CheckpointFacts ready = Found(dyn::CheckpointPhase::kReady);
  const StartSurroundings surroundings{.storage = Storage{.pvc_name = "p", .base_path = "/c"}};
  Value pod = Template();
  ASSERT_OK(ShapeStart(pod, Worker(), Start(Worker(), nullptr), nullptr, surroundings));
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-restore-target"), "");
  ASSERT_OK(ShapeStart(pod, Worker(), Start(Worker(), &ready), &ready, surroundings));
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/dynamo-checkpoint-name"), "manual");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-restore-target"), "");
  const dyn::ComponentSpec waiting = Worker(Policy::kWaitForCheckpoint);
  ASSERT_OK(ShapeStart(pod, waiting, Start(waiting, &ready), &ready, surroundings));
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-restore-target"), "true");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-artifact-version"), "3");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/dynamo-checkpoint-name"), "");
  EXPECT_FALSE(ShapeStart(pod, waiting, Start(waiting, &ready), &ready, {}).ok());
}

// Between pods: engines find the server in the folder they knew, and its pod carries the loader.
TEST(ComponentStartTest, EnginesWhoseMemoryIsInOtherPodsAreRestoredTogetherWithIt) {
  dyn::ComponentSpec component = Worker(Policy::kWaitForCheckpoint);
  auto& memory = component.experimental->gpu_memory_service.emplace();
  memory.mode = dyn::GpuMemoryMode::kInterPod;
  memory.checkpoint.emplace().loader.emplace().image = "loader:1";
  CheckpointFacts found = Found(dyn::CheckpointPhase::kReady);
  found.spec.gpu_memory_service.emplace().enabled = true;
  found.spec.gpu_memory_service->checkpoint.emplace();
  const ComponentStart start = Start(component, &found);
  EXPECT_EQ(start.way, StartWay::kRestored);
  const StartSurroundings surroundings{.storage = Storage{"warm", "/checkpoints", true}};
  Value engine = *json::ParseValue(
      R"({"spec":{"containers":[{"name":"main","volumeMounts":[{"name":"gms-shared",)"
      R"("mountPath":"/run/gms/shared","subPathExpr":"x/rank-0"}]}]}})");
  Value server = engine;
  ASSERT_OK(ShapeStart(engine, component, start, &found, surroundings));
  const Value& main = *pods::FindNamed(*engine.Find("spec"), "containers", "main");
  const Value* const folder =
      pods::FindItem(main, "volumeMounts", "mountPath", "/gms-intrapod-control");
  ASSERT_NE(folder, nullptr);
  EXPECT_EQ(pods::Text(*folder, "subPathExpr"), "x/rank-0");
  EXPECT_EQ(pods::Annotation(engine, "nvidia.com/snapshot-gms-completion-file-mode"), "shared");
  EXPECT_EQ(pods::FindNamed(*engine.Find("spec"), "containers", "gms-loader"), nullptr);

  ASSERT_OK(ShapeMemoryServer(server, component, start, &found, surroundings));
  const Value* const loader = pods::FindNamed(*server.Find("spec"), "containers", "gms-loader");
  ASSERT_NE(loader, nullptr);
  EXPECT_EQ(pods::Text(*loader, "image"), "loader:1");
  EXPECT_THAT(loader->Write(), HasSubstr("/run/gms/shared"));
  EXPECT_EQ(pods::Label(server, "nvidia.com/snapshot-is-restore-target"), "");
  // Those that start at once are not marked: nobody would load what they need.
  component.experimental->checkpoint->startup_policy = Policy::kImmediate;
  EXPECT_EQ(Start(component, &found).way, StartWay::kPlain);
}

// W8, P6
TEST(ComponentStartTest, WhoMayStartColdDoesWhenTheCheckpointFailed) {
  dyn::ComponentSpec component = Worker(Policy::kWaitForCheckpoint);
  const CheckpointFacts found = Found(dyn::CheckpointPhase::kFailed);
  EXPECT_EQ(Start(component, &found).way, StartWay::kWaits);
  component.pod_template = *json::ParseValue(
      R"({"metadata":{"annotations":{"hearth.dev/checkpoint-fallback":"ColdStart"}}})");
  const ComponentStart start = Start(component, &found);
  EXPECT_EQ(start.way, StartWay::kPlain);
  EXPECT_TRUE(start.fell_back);
  EXPECT_TRUE(start.failed);
}

}  // namespace
}  // namespace hearth::dynamo
