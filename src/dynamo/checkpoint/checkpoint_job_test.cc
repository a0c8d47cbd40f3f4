#include "dynamo/checkpoint/checkpoint_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::Not;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

CheckpointFacts Checkpoint(std::string_view containers) {
  CheckpointFacts facts;
  facts.name = "warm";
  facts.name_space = "ns";
  facts.artifact_version = "1";
  facts.status.checkpoint_id = "abc";
  facts.spec.job.pod_template_spec =
      Json(std::string(R"({"spec":{"containers":)") + std::string(containers) + "}}");
  return facts;
}

Storage Configured() {
  return {.pvc_name = "warm", .base_path = "/checkpoints", .configured = true};
}

Value Render(const CheckpointFacts& checkpoint, int64_t gpus = 0) {
  const auto job = RenderCheckpointJob({.checkpoint = checkpoint,
                                        .storage = Configured(),
                                        .seccomp_profile = "profiles/block-iouring.json",
                                        .gpus = gpus});
  EXPECT_OK(job);
  return job.ok() ? *job : Value();
}

const Value& Container(const Value& job, std::string_view name) {
  const Value* const found =
      pods::FindNamed(*job.FindPath("spec.template.spec"), "containers", name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// K1, A108: the deadline is the Job's.
TEST(CheckpointJobTest, Shape) {
  const Value job = Render(Checkpoint(
      R"([{"name":"main","command":["run"],"livenessProbe":{"exec":{"command":["x"]}}}])"));
  EXPECT_EQ(job.FindPath("metadata.name")->string(), "checkpoint-job-abc-1");
  EXPECT_EQ(job.FindPath("spec.backoffLimit")->Int(), 0);
  EXPECT_EQ(job.FindPath("spec.activeDeadlineSeconds")->Int(), 3600);
  const Value& pod = *job.FindPath("spec.template");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-owner"), "warm");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-checkpoint-source"), "true");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-checkpoint-id"), "abc");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-target-containers"), "main");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-storage-base-path"), "/checkpoints");
  EXPECT_EQ(pods::Annotation(pod, "sidecar.istio.io/inject"), "false");  // W39
  EXPECT_EQ(pod.FindPath("spec.restartPolicy")->string(), "Never");
  const Value& main = Container(job, "main");
  EXPECT_EQ(main.Find("livenessProbe"), nullptr);
  EXPECT_THAT(main.Find("readinessProbe")->Write(), HasSubstr("ready-for-snapshot"));
  EXPECT_THAT(main.Find("volumeMounts")->Write(),
              testing::AllOf(HasSubstr("/dev/shm"), HasSubstr("checkpoint-storage"),
                             HasSubstr("snapshot-control")));
  EXPECT_THAT(pod.FindPath("spec.securityContext")->Write(), HasSubstr("block-iouring.json"));
}

// K2, A109
TEST(CheckpointJobTest, SeveralGpusAreStartedThroughTheDriver) {
  const Value job = Render(Checkpoint(R"([{"name":"main","command":["run"],"args":["a"]}])"), 2);
  EXPECT_EQ(Container(job, "main").Find("command")->Write(), R"(["cuda-checkpoint"])");
  EXPECT_THAT(Container(job, "main").Find("args")->Write(), HasSubstr(R"("run","a")"));
  const CheckpointFacts silent = Checkpoint(R"([{"name":"main"}])");
  EXPECT_FALSE(
      RenderCheckpointJob({.checkpoint = silent, .storage = Configured(), .gpus = 2}).ok());
}

// K4, A109
TEST(CheckpointJobTest, OnlyTheTargetIsShaped) {
  CheckpointFacts checkpoint = Checkpoint(R"([{"name":"side"},{"name":"worker"}])");
  checkpoint.spec.job.target_container_name = "worker";
  const Value job = Render(checkpoint);
  EXPECT_EQ(Container(job, "side").Write(), R"({"name":"side"})");
  EXPECT_NE(Container(job, "worker").Find("readinessProbe"), nullptr);
  checkpoint.spec.job.target_container_name = "nobody";
  const auto none = RenderCheckpointJob({.checkpoint = checkpoint, .storage = Configured()});
  EXPECT_THAT(std::string(none.status().message()),
              HasSubstr("pod spec has no container named \"nobody\""));
}

// K5, A109
TEST(CheckpointJobTest, WhatIsPreparedStays) {
  CheckpointFacts checkpoint = Checkpoint(
      R"([{"name":"main","env":[{"name":"A","value":"1"}],"volumeMounts":[{"name":"own",)"
      R"("mountPath":"/dev/shm"}]}])");
  checkpoint.spec.job.shared_memory.emplace().disabled = true;
  const Value job = Render(checkpoint);
  EXPECT_NE(pods::FindVariable(Container(job, "main"), "A"), nullptr);
  EXPECT_NE(pods::FindNamed(Container(job, "main"), "volumeMounts", "own"), nullptr);
  checkpoint.spec.job.shared_memory = {.size = "1Gi"};
  const Value sized = Render(checkpoint);
  EXPECT_EQ(pods::FindNamed(Container(sized, "main"), "volumeMounts", "own"), nullptr);
  EXPECT_THAT(sized.Write(), HasSubstr(R"("sizeLimit":"1Gi")"));
}

constexpr std::string_view kClaimed =
    R"([{"name":"main","image":"i","resources":{"claims":[{"name":"intrapod-shared-gpu"}]}}])";

TEST(CheckpointJobTest, TheSaverKeepsTheJobUntilItIsDone) {
  CheckpointFacts checkpoint = Checkpoint(kClaimed);
  auto& memory = checkpoint.spec.gpu_memory_service.emplace();
  memory.enabled = true;
  EXPECT_THAT(Render(checkpoint).Write(), Not(HasSubstr("gms-saver")));
  memory.checkpoint.emplace().saver.emplace().image = "mine";
  const Value job = Render(checkpoint);
  const Value& saver = Container(job, "gms-saver");
  EXPECT_EQ(pods::Text(saver, "image"), "mine");
  EXPECT_EQ(pods::Text(*pods::FindVariable(saver, "GMS_CHECKPOINT_DIR"), "value"),
            "/checkpoints/gms/abc/versions/1");
}

TEST(CheckpointJobTest, ASaverNeedsAClaimAndStorage) {
  CheckpointFacts checkpoint = Checkpoint(R"([{"name":"main"}])");
  auto& memory = checkpoint.spec.gpu_memory_service.emplace();
  memory.enabled = true;
  memory.checkpoint.emplace();
  const auto error = [&](const Storage& storage) {
    return std::string(
        RenderCheckpointJob({.checkpoint = checkpoint, .storage = storage}).status().message());
  };
  EXPECT_THAT(error(Configured()),
              HasSubstr("gms sidecars require main container resource claims"));
  checkpoint.spec.job.pod_template_spec =
      Json(std::string(R"({"spec":{"containers":)") + std::string(kClaimed) + "}}");
  EXPECT_THAT(error({}), HasSubstr("gms checkpoint jobs require resolved checkpoint storage"));
}

// W9, A108
TEST(CheckpointJobTest, CleaningUpRemovesBothTreesAndNothingElse) {
  CheckpointFacts checkpoint = Checkpoint("[]");
  ASSERT_OK_AND_ASSIGN(const Value job, RenderCleanupJob(checkpoint, Configured(), {}));
  EXPECT_EQ(job.FindPath("metadata.name")->string(), "checkpoint-cleanup-abc");
  EXPECT_THAT(job.Write(),
              testing::AllOf(HasSubstr("'/checkpoints/abc'"), HasSubstr("'/checkpoints/gms/abc'")));
  for (const char* const id : {"..", "a/b", "a'; rm -rf /; '", ""}) {
    checkpoint.status.checkpoint_id = id;
    checkpoint.id_label = id;
    if (*id != 0) {
      EXPECT_FALSE(RenderCleanupJob(checkpoint, Configured(), {}).ok()) << id;
    }
  }
}

}  // namespace
}  // namespace hearth::dynamo
