#include "dynamo/checkpoint/auto_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamo/checkpoint.h"
#include "base/testing/status_matchers.h"
#include "dynamo/checkpoint/prepared_template.h"
#include "json/parse.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using testing::HasSubstr;

GraphFacts Graph() { return {.name = "g", .name_space = "ns", .uid = "u"}; }

dyn::ComponentSpec Worker() {
  dyn::ComponentSpec worker;
  worker.name = "w";
  worker.type = dyn::ComponentType::kWorker;
  worker.pod_template = *json::ParseValue(
      R"({"metadata":{"labels":{"mine":"yes"}},"spec":{"containers":[)"
      R"({"name":"side","image":"s"},{"name":"main","image":"e","command":["python3","-m",)"
      R"("dynamo.vllm"],"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}})");
  worker.experimental.emplace().checkpoint.emplace().enabled = true;
  return worker;
}

Result<AutoCheckpoint> Render(const dyn::ComponentSpec& worker) {
  return RenderAutoCheckpoint(
      {.graph = Graph(), .component = worker, .id = "abc", .worker_hash = "0a1b2c3d"});
}

const Value& Pod(const AutoCheckpoint& made) {
  return *made.checkpoint.FindPath("spec.job.podTemplateSpec");
}

// X3, A2, A4: what is captured is the target alone, with what the component says.
TEST(AutoCheckpointTest, CapturesTheTargetAlone) {
  const auto made = Render(Worker());
  ASSERT_OK(made);
  const Value& checkpoint = made->checkpoint;
  EXPECT_EQ(checkpoint.FindPath("metadata.name")->string(), "checkpoint-abc");
  EXPECT_EQ(pods::Annotation(checkpoint, "nvidia.com/dynamo-auto-checkpoint"), "true");
  EXPECT_EQ(pods::Annotation(checkpoint, "nvidia.com/snapshot-artifact-version"), "1");
  EXPECT_EQ(pods::Annotation(checkpoint, "nvidia.com/dynamo-checkpoint-deletion-policy"), "Delete");
  EXPECT_EQ(pods::Label(checkpoint, "nvidia.com/snapshot-checkpoint-id"), "abc");
  EXPECT_EQ(checkpoint.FindPath("spec.identity")->Write(),
            R"({"model":"ns/g","backendFramework":"vllm","tensorParallelSize":1,)"
            R"("pipelineParallelSize":1,"extraParameters":{"checkpointID":"abc",)"
            R"("component":"w","dgdUID":"u"}})");
  const Value& spec = *Pod(*made).Find("spec");
  ASSERT_EQ(pods::Items(spec, "containers").size(), 1U);
  EXPECT_EQ(pods::Text(pods::Items(spec, "containers")[0], "name"), "main");
  EXPECT_EQ(pods::Text(spec, "restartPolicy"), "Never");
  EXPECT_EQ(pods::Label(Pod(*made), "mine"), "yes");
  EXPECT_EQ(pods::Label(Pod(*made), "nvidia.com/dynamo-graph-deployment-name"), "g");
  EXPECT_FALSE(made->claim_template);
  EXPECT_EQ(checkpoint.FindPath("spec.gpuMemoryService"), nullptr);
}

// X3, W3: with a memory service, its server is beside the target; the saver goes along, the loader
// and the clients of the component's own pods do not.
TEST(AutoCheckpointTest, TheMemoryServiceComesAlong) {
  dyn::ComponentSpec worker = Worker();
  auto& memory = worker.experimental->gpu_memory_service.emplace();
  memory.extra_client_containers = {"side"};
  memory.checkpoint.emplace().saver.emplace().image = "saver:1";
  memory.checkpoint->loader.emplace().image = "loader:1";
  auto& job = worker.experimental->checkpoint->job.emplace();
  job.gms_client_containers = {"helper"};
  job.pod_template = *json::ParseValue(
      R"({"spec":{"containers":[{"name":"helper","image":"h"}],"nodeSelector":{"a":"b"}}})");
  const auto made = Render(worker);
  ASSERT_OK(made);
  const Value& spec = *Pod(*made).Find("spec");
  EXPECT_NE(pods::FindNamed(spec, "initContainers", "gms-server"), nullptr);
  EXPECT_NE(pods::FindVariable(*pods::FindNamed(spec, "containers", "helper"), "GMS_SOCKET_DIR"),
            nullptr);
  EXPECT_EQ(spec.FindPath("nodeSelector.a")->string(), "b");
  EXPECT_THAT(pods::FindNamed(spec, "containers", "main")->Find("command")->Write(),
              HasSubstr("--load-format"));
  EXPECT_EQ(made->claim_template->FindPath("metadata.name")->string(), "checkpoint-abc-worker-gpu");
  EXPECT_THAT(made->claim_template->Find("spec")->Write(), HasSubstr("\"count\":2"));
  EXPECT_EQ(made->checkpoint.FindPath("spec.gpuMemoryService")->Write(),
            R"({"enabled":true,"mode":"intraPod","deviceClassName":"gpu.nvidia.com",)"
            R"("extraClientContainers":["helper"],"checkpoint":{"saver":{"image":"saver:1"}}})");
}

// K6: what we render has all that a memory service needs; each part that is taken away is named.
TEST(AutoCheckpointTest, IsPreparedForItsMemoryService) {
  dyn::ComponentSpec worker = Worker();
  worker.experimental->gpu_memory_service.emplace();
  const auto made = Render(worker);
  ASSERT_OK(made);
  const json::Blob blob = made->checkpoint.ToBlob();
  const auto spec = api::DecodeAs<dyn::CheckpointSpec>(blob["spec"]);
  ASSERT_OK(spec);
  EXPECT_EQ(MissingForMemory(*spec), "");
  const auto without = [&](const char* list) {
    dyn::CheckpointSpec changed = *spec;
    changed.job.pod_template_spec["spec"].Erase(list);
    return MissingForMemory(changed);
  };
  EXPECT_THAT(without("containers"), HasSubstr("no target container \"main\""));
  EXPECT_THAT(without("resourceClaims"), HasSubstr("missing pod resource claim"));
  EXPECT_THAT(without("volumes"), HasSubstr("missing shared volume"));
  EXPECT_THAT(without("initContainers"), HasSubstr("missing init sidecar \"gms-server\""));
  dyn::CheckpointSpec client = *spec;
  client.gpu_memory_service->extra_client_containers = {"saver"};
  EXPECT_THAT(MissingForMemory(client), HasSubstr("missing extra client container \"saver\""));
  dyn::CheckpointSpec unwired = *spec;
  pods::FindNamed(unwired.job.pod_template_spec["spec"], "containers", "main")->Erase("env");
  EXPECT_THAT(MissingForMemory(unwired), HasSubstr("\"main\" is missing GMS_SOCKET_DIR="));
}

// Between pods, what is captured has its server in its own pod all the same.
TEST(AutoCheckpointTest, MemoryBetweenPodsIsCapturedWithinOne) {
  dyn::ComponentSpec worker = Worker();
  worker.experimental->gpu_memory_service.emplace().mode = dyn::GpuMemoryMode::kInterPod;
  const auto made = Render(worker);
  ASSERT_OK(made);
  EXPECT_NE(pods::FindNamed(*Pod(*made).Find("spec"), "initContainers", "gms-server"), nullptr);
  EXPECT_EQ(made->checkpoint.FindPath("spec.gpuMemoryService.mode")->string(), "intraPod");
}

TEST(AutoCheckpointTest, NamesWhatIsWrong) {
  dyn::ComponentSpec worker = Worker();
  worker.experimental->checkpoint->target_container_name = "nobody";
  EXPECT_THAT(std::string(Render(worker).status().message()),
              HasSubstr("no container named \"nobody\""));
  worker = Worker();
  worker.pod_template =
      *json::ParseValue(R"({"spec":{"containers":[{"name":"main","command":["run"]}]}})");
  EXPECT_EQ(std::string(Render(worker).status().message()),
            "checkpoint backend framework for component w could not be determined; set "
            "spec.backendFramework or use a recognizable worker command");
  worker = Worker();
  worker.experimental->gpu_memory_service.emplace();
  worker.pod_template = *json::ParseValue(
      R"({"spec":{"containers":[{"name":"main","command":["python3","-m","dynamo.vllm"]}]}})");
  EXPECT_THAT(std::string(Render(worker).status().message()), HasSubstr("asks for no GPU"));
}

}  // namespace
}  // namespace hearth::dynamo
