// Graphs and checkpoints one below the other, and what may be done with a checkpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "dynamo/view/checkpoint_list.h"
#include "dynamo/view/graph_list.h"
#include "json/time.h"
#include "json/yaml.h"

namespace hearth::dynamo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const WallTime kNow = json::Time::Parse("2026-11-18T09:00:00Z")->at;

json::Blob Yaml(const std::string& text) {
  const auto value = json::ParseYamlDocument(text);
  EXPECT_OK(value);
  return value->ToBlob();
}

constexpr const char* kGraph = R"(
metadata: {name: llm, namespace: serving, creationTimestamp: '2026-11-18T08:00:00Z'}
spec:
  backendFramework: vllm
  components:
  - {name: frontend}
  - {name: worker, replicas: 3, experimental: {checkpoint: {enabled: true}}}
  - {name: other, experimental: {checkpoint: {enabled: true, checkpointRef: warm}}}
  - {name: off-again, experimental: {checkpoint: {enabled: false, checkpointRef: warm}}}
status:
  state: pending
  conditions: [{type: Ready, status: 'False', reason: pods_not_ready, message: 'Resources not ready: worker'}]
  components: {frontend: {readyReplicas: 1}, worker: {readyReplicas: 2}, other: {availableReplicas: 1}, off-again: {readyReplicas: 1}}
  checkpoints: {worker: {checkpointName: checkpoint-1, ready: false}, other: {checkpointName: warm, ready: true}}
  startup: {restored: 2, cold: 1}
)";

TEST(GraphRow, TellsWhatTheGraphSays) {
  const json::Blob graph = Yaml(kGraph);
  EXPECT_EQ(ToText({GraphRow::Of(graph.view())}, true, kNow),
            "NAMESPACE  NAME  READY  STATE    BACKEND  COMPONENTS  CHECKPOINTS  RESTORED  COLD    "
            "AGE  REASON\n"
            "serving    llm   False  pending  vllm            3/4          1/2         2     1  "
            "1h00m  pods_not_ready\n");
  EXPECT_THAT(ToJson({GraphRow::Of(graph.view())}).Write(),
              HasSubstr(R"("restored":2,"cold":1,"reason":"pods_not_ready")"));
}

TEST(GraphRow, OfAGraphThatNobodyLookedAt) {
  const json::Blob graph = Yaml("{metadata: {name: llm}, spec: {components: [{name: worker}]}}");
  const GraphRow row = GraphRow::Of(graph.view());
  EXPECT_EQ(row.ready, "Unknown");
  EXPECT_EQ(row.state, "initializing");
  EXPECT_EQ(row.restored, std::nullopt);
  EXPECT_THAT(ToText({row}, false, kNow), HasSubstr("0/1"));
}

// ---- Checkpoints.

json::Blob CheckpointOf(const std::string& status, const std::string& version = "1") {
  return Yaml(R"(
metadata:
  name: warm
  namespace: serving
  labels: {nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: worker}
  annotations: {nvidia.com/snapshot-artifact-version: ')" +
              version + R"('}
spec: {identity: {model: llama, backendFramework: vllm}}
status: )" + status);
}

constexpr const char* kReady = "{phase: Ready, checkpointID: ab, jobName: checkpoint-job-ab-1}";
constexpr const char* kFailed =
    "{phase: Failed, checkpointID: ab, jobName: checkpoint-job-ab-1, message: no memory, "
    "conditions: [{type: JobCompleted, status: 'False', reason: JobFailed}]}";

TEST(CheckpointEntry, TellsWhatTheCheckpointSays) {
  const json::Blob failed = CheckpointOf(kFailed);
  EXPECT_EQ(ToText({CheckpointEntry::Of(failed.view())}, false, kNow),
            "NAME  PHASE   VERSION  GRAPH  COMPONENT  MODEL  BACKEND  AGE  REASON\n"
            "warm  Failed  1        llm    worker     llama  vllm       -  JobFailed\n");
  EXPECT_THAT(ToJson({CheckpointEntry::Of(failed.view())}).Write(),
              HasSubstr(R"("reason":"JobFailed","message":"no memory","created":null)"));
}

TEST(HowFar, OnlyWhatIsOfTheVersionCounts) {
  const json::Blob ready = CheckpointOf(kReady);
  EXPECT_EQ(HowFar(ready.view(), "1"), Captured::kReady);
  EXPECT_EQ(HowFar(ready.view(), "2"), Captured::kNotYet);
  const json::Blob failed = CheckpointOf(kFailed);
  EXPECT_EQ(HowFar(failed.view(), "1"), Captured::kFailed);
  const json::Blob creating = CheckpointOf("{phase: Creating, jobName: checkpoint-job-ab-2}");
  EXPECT_EQ(HowFar(creating.view(), "2"), Captured::kNotYet);
  const json::Blob early = CheckpointOf("{phase: Failed, checkpointID: ab}");
  EXPECT_EQ(HowFar(early.view(), "2"), Captured::kFailed);
}

TEST(VersionToCapture, CountsOn) {
  const auto next = [](const std::string& version) {
    const json::Blob failed = CheckpointOf(kFailed, version);
    return VersionToCapture(failed.view(), false, "").value_or("");
  };
  EXPECT_EQ(next("1"), "2");
  EXPECT_EQ(next("9"), "10");
  EXPECT_EQ(next(""), "2");
  EXPECT_EQ(next("monday"), "monday-2");
  EXPECT_EQ(next("monday-9"), "monday-10");
  EXPECT_EQ(next("v1"), "v1-2");
}

TEST(VersionToCapture, WhatCannotBeCapturedAnewIsRefusedWithWhatToDo) {
  const auto refusal = [](const std::string& status, bool even_ready = false,
                          const std::string& wanted = "") {
    const json::Blob checkpoint = CheckpointOf(status);
    const auto version = VersionToCapture(checkpoint.view(), even_ready, wanted);
    EXPECT_CODE(Code::kInvalid, version);
    return std::string(version.status().message());
  };
  EXPECT_THAT(refusal(kReady), HasSubstr("hearth checkpoint recapture warm"));
  EXPECT_THAT(refusal("{phase: Creating}"), HasSubstr("is Creating"));
  EXPECT_THAT(refusal("{}"), HasSubstr("is Pending"));
  EXPECT_THAT(refusal("{phase: Failed, message: gate closed}"),
              HasSubstr("hearth checkpoint delete warm"));
  EXPECT_THAT(refusal(kFailed, false, "Not_A_Version"), HasSubstr("cannot be an artifact version"));
  EXPECT_THAT(refusal(kFailed, false, "1"), HasSubstr("say another"));
  const json::Blob ready = CheckpointOf(kReady);
  EXPECT_EQ(VersionToCapture(ready.view(), true, "b").value_or(""), "b");
}

TEST(UsersOf, AreComponentsThatUseItNow) {
  const json::Blob graph = Yaml(kGraph);
  EXPECT_THAT(UsersOf("warm", graph.view()), ElementsAre("llm/other"));
  EXPECT_THAT(UsersOf("checkpoint-1", graph.view()), ElementsAre("llm/worker"));
  EXPECT_THAT(UsersOf("unknown", graph.view()), IsEmpty());
}

}  // namespace
}  // namespace hearth::dynamo
