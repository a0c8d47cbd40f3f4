#include "dynamo/checkpoint/restore_template.h"

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
using Policy = api::dynamo::CheckpointStartupPolicy;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

Value Template() {
  return Json(
      R"({"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"side"},)"
      R"({"name":"main","command":["c"],"args":["a"],"env":[{"name":)"
      R"("DYN_SNAPSHOT_RESTORE_STANDBY","value":"0"}],"livenessProbe":{"httpGet":{"path":"/l",)"
      R"("port":1},"periodSeconds":9}}]}})");
}

RestoreSource Source() {
  return {.checkpoint_id = "abc",
          .storage = {.pvc_name = "warm", .base_path = "/checkpoints"},
          .seccomp_profile = "profiles/block-iouring.json"};
}

const Value& Container(const Value& pod, std::string_view name) {
  const Value* const found = pods::FindNamed(*pod.Find("spec"), "containers", name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// M1, A110, with those below.
TEST(RestoreTemplateTest, MetadataNameCheckpointVersionAndTargets) {
  Value pod = Template();
  ASSERT_OK(ShapeForRestore(pod, Source()));
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-restore-target"), "true");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-checkpoint-id"), "abc");
  EXPECT_EQ(pods::Label(pod, "app"), "a");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-artifact-version"), "1");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-target-containers"), "main");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-storage-type"), "");
}

// M1, I4, W12
TEST(RestoreTemplateTest, EveryEngineIsATarget) {
  Value pod = Json(R"({"spec":{"containers":[{"name":"engine-0"},{"name":"engine-1"}]}})");
  RestoreSource source = Source();
  source.targets = {"engine-0", "engine-1"};
  ASSERT_OK(ShapeForRestore(pod, source));
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-target-containers"), "engine-0,engine-1");
  for (const char* const engine : {"engine-0", "engine-1"}) {
    const Value* const mount =
        pods::FindNamed(Container(pod, engine), "volumeMounts", "snapshot-control");
    ASSERT_NE(mount, nullptr);
    EXPECT_EQ(pods::Text(*mount, "subPath"), engine);
  }
}

// M3, I7
TEST(RestoreTemplateTest, WhatCannotBeShapedStaysAsItWas) {
  const Value before = Template();
  Value pod = before;
  RestoreSource source = Source();
  source.storage = {};
  EXPECT_FALSE(ShapeForRestore(pod, source).ok());
  EXPECT_EQ(pod.Write(), before.Write());
  source = Source();
  source.targets = {"nobody"};
  EXPECT_THAT(std::string(ShapeForRestore(pod, source).message()),
              HasSubstr("checkpoint restore target \"nobody\" does not exist in pod spec"));
  EXPECT_EQ(pod.Write(), before.Write());
  source = Source();
  source.checkpoint_id = "../up";
  EXPECT_FALSE(ShapeForRestore(pod, source).ok());
  source = Source();
  source.memory = MemoryService{.claim_template = "t", .extra_clients = {"nobody"}};
  EXPECT_FALSE(ShapeForRestore(pod, source).ok());
  EXPECT_EQ(pod.Write(), before.Write());
}

// M4, I5
TEST(RestoreTemplateTest, ConfiguredStorageIsTold) {
  Value pod = Template();
  RestoreSource source = Source();
  source.storage.configured = true;
  ASSERT_OK(ShapeForRestore(pod, source));
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-storage-type"), "pvc");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-storage-base-path"), "/checkpoints");
  EXPECT_EQ(pod.FindPath("spec")->Find("volumes")->Write().find("\"claimName\":\"warm\"") ==
                std::string::npos,
            false);
}

// I2, I3
TEST(RestoreTemplateTest, OnlyTheTargetStandsByAndItsCommandStays) {
  Value pod = Template();
  ASSERT_OK(ShapeForRestore(pod, Source()));
  const Value& main = Container(pod, "main");
  EXPECT_EQ(main.Find("command")->Write(), R"(["c"])");
  EXPECT_EQ(main.Find("args")->Write(), R"(["a"])");
  EXPECT_EQ(pods::Text(*pods::FindVariable(main, "DYN_SNAPSHOT_RESTORE_STANDBY"), "value"), "1");
  EXPECT_EQ(main.Find("startupProbe")->Write(),
            R"({"httpGet":{"path":"/l","port":1},"periodSeconds":1,"initialDelaySeconds":0,)"
            R"("failureThreshold":1800,"successThreshold":1})");
  EXPECT_NE(pods::FindNamed(main, "volumeMounts", "checkpoint-storage"), nullptr);
  EXPECT_EQ(Container(pod, "side").Write(), R"({"name":"side"})");
}

// I6
TEST(RestoreTemplateTest, TheMemoryServiceComesOnceWithItsLoader) {
  Value pod = Template();
  RestoreSource source = Source();
  source.memory = MemoryService{.claim_template = "t", .extra_clients = {"side"}, .gpus = 1};
  source.loader.wanted = true;
  source.loader.said.emplace().image = "mine";
  ASSERT_OK(ShapeForRestore(pod, source));
  EXPECT_EQ(pod.FindPath("spec.initContainers")->items().size(), 1U);
  EXPECT_NE(pods::FindVariable(Container(pod, "side"), "GMS_SOCKET_DIR"), nullptr);
  const Value& loader = Container(pod, "gms-loader");
  EXPECT_EQ(pods::Text(loader, "image"), "mine");
  EXPECT_EQ(pods::Text(*pods::FindVariable(loader, "GMS_CHECKPOINT_DIR"), "value"),
            "/checkpoints/gms/abc/versions/1");
  const std::string once = pod.Write();
  ASSERT_OK(ShapeForRestore(pod, source));
  EXPECT_EQ(pod.Write(), once);
}

// M6
TEST(RestoreTemplateTest, CandidatesHaveNoRestoreLabels) {
  Value pod = Template();
  ASSERT_OK(ShapeForRestore(pod, Source()));
  MarkCandidate(pod, {.checkpoint = "checkpoint-abc"});
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/dynamo-checkpoint-restore-candidate"), "true");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/dynamo-checkpoint-name"), "checkpoint-abc");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/dynamo-checkpoint-startup-policy"), "Immediate");
  EXPECT_EQ(pods::Annotation(pod, "nvidia.com/snapshot-target-containers"), "main");
  EXPECT_THAT(pod.Find("metadata")->Write(), Not(HasSubstr("is-restore-target")));
  EXPECT_THAT(pod.Find("metadata")->Write(), Not(HasSubstr("checkpoint-id")));
}

// M5, M7, X12
TEST(RestoreTemplateTest, StaleMarksGo) {
  Value pod = Template();
  ASSERT_OK(ShapeForRestore(pod, Source()));
  MarkCandidate(
      pod, {.checkpoint = "c", .policy = Policy::kWaitForCheckpoint, .loader = {.wanted = true}});
  ClearRestoreMarks(pod);
  EXPECT_THAT(pod.Find("metadata")->Write(), Not(HasSubstr("nvidia.com")));
}

// W12
TEST(RestoreTemplateTest, CandidatesTellWhichLoaderTheirComponentWants) {
  Value pod = Template();
  EXPECT_FALSE(LoaderAskedBy(pod)->wanted);
  LoaderWish wish{.wanted = true};
  wish.said.emplace().command = {"my", "loader"};
  MarkCandidate(pod, {.checkpoint = "c", .loader = wish});
  const auto asked = LoaderAskedBy(pod);
  ASSERT_OK(asked);
  EXPECT_TRUE(asked->wanted);
  EXPECT_EQ(asked->said->command, wish.said->command);
  pods::SetAnnotation(pod, "hearth.dev/restore-loader", "{");
  EXPECT_FALSE(LoaderAskedBy(pod).ok());
}

}  // namespace
}  // namespace hearth::dynamo
