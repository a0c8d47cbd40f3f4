#include "dynamo/view/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "dynamo/view/history.h"
#include "json/time.h"
#include "json/yaml.h"

namespace hearth::dynamo {
namespace {

using testing::HasSubstr;
using State = Rollout::State;

Rollout Of(const std::string& spec, const std::string& status) {
  const auto graph = json::ParseYamlDocument(
      "metadata: {name: llm, namespace: serving, generation: 2}\nspec: " + spec +
      "\nstatus: " + status);
  EXPECT_OK(graph);
  const json::Blob blob = graph->ToBlob();
  return Rollout::Of(blob.view());
}

constexpr const char* kSpec = "{components: [{name: worker, replicas: 2}]}";
constexpr const char* kDone =
    "{observedGeneration: 2, state: successful, conditions: [{type: Ready, status: 'True'}], "
    "components: {worker: {updatedReplicas: 2, readyReplicas: 2}}}";

TEST(Rollout, IsDoneWhenEverythingIs) {
  EXPECT_EQ(Of(kSpec, kDone).state, State::kDone);
  EXPECT_EQ(ToText(Of(kSpec, kDone)), "graph serving/llm is rolled out\n");
}

TEST(Rollout, WaitsForTheOperator) {
  const Rollout rollout = Of(kSpec, "{}");
  EXPECT_EQ(rollout.state, State::kUnderWay);
  EXPECT_THAT(ToText(rollout), HasSubstr("the operator has carried out generation 0 of 2"));
}

TEST(Rollout, SaysWhichComponentWaitsForWhat) {
  const Rollout rollout = Of(
      R"({components: [{name: frontend}, {name: worker, replicas: 2,
          experimental: {checkpoint: {enabled: true, startupPolicy: WaitForCheckpoint}}}]})",
      R"({observedGeneration: 2, state: pending,
          conditions: [{type: Ready, status: 'False', reason: waiting_for_checkpoint, message: soon}],
          components: {frontend: {updatedReplicas: 1, readyReplicas: 1}, worker: {updatedReplicas: 0, readyReplicas: 0}},
          checkpoints: {worker: {checkpointName: checkpoint-1, ready: false}}})");
  EXPECT_EQ(ToText(rollout),
            "graph serving/llm is under way: waiting_for_checkpoint: soon\n"
            "  component worker: 0 of 2 updated, 0 ready, waits for checkpoint checkpoint-1\n");
}

TEST(Rollout, ARestartIsWaitedFor) {
  const std::string spec = "{restart: {id: monday}, components: [{name: worker}]}";
  const auto with = [&](const std::string& restart) {
    return Of(spec,
              "{observedGeneration: 2, state: successful, conditions: [{type: Ready, status: "
              "'True'}], components: {worker: {updatedReplicas: 1, readyReplicas: 1}}, restart: " +
                  restart + "}");
  };
  EXPECT_EQ(with("{}").state, State::kUnderWay);
  EXPECT_THAT(ToText(with("{observedID: sunday, phase: Completed}")),
              HasSubstr("restart monday is not begun"));
  const Rollout going = with("{observedID: monday, phase: Restarting, inProgress: [worker]}");
  EXPECT_THAT(ToText(going), HasSubstr("component worker: 1 of 1 updated, 1 ready, restarting"));
  EXPECT_EQ(with("{observedID: monday, phase: Completed}").state, State::kDone);
  EXPECT_EQ(with("{observedID: monday, phase: Failed}").state, State::kFailed);
}

TEST(Rollout, AFailureCountsOnlyWhenItIsOfWhatIsAskedForNow) {
  const auto failed = [](int generation) {
    return Of(kSpec,
              "{state: failed, conditions: [{type: Ready, status: 'False', reason: "
              "checkpoint_failed, observedGeneration: " +
                  std::to_string(generation) + "}]}");
  };
  EXPECT_EQ(failed(1).state, State::kUnderWay);
  EXPECT_EQ(failed(2).state, State::kFailed);
  EXPECT_THAT(ToText(failed(2)), HasSubstr("graph serving/llm failed"));
}

TEST(Rollout, AnUpdateOfWorkersIsWaitedFor) {
  const std::string done(kDone);
  const std::string status = done.substr(0, done.size() - 1);
  EXPECT_EQ(Of(kSpec, status + ", rollingUpdate: {phase: InProgress}}").state, State::kUnderWay);
  EXPECT_EQ(Of(kSpec, status + ", rollingUpdate: {phase: Failed}}").state, State::kFailed);
  EXPECT_EQ(Of(kSpec, status + ", rollingUpdate: {phase: Completed}}").state, State::kDone);
  EXPECT_THAT(ToJson(Of(kSpec, kDone)).Write(), HasSubstr(R"("state":"Done")"));
}

// ---- History.

kube::Object Object(const std::string& yaml) {
  const auto value = json::ParseYamlDocument(yaml);
  EXPECT_OK(value);
  return kube::Object(value->ToBlob());
}

TEST(History, HasWhatRanAndTheCheckpointsOfEach) {
  GraphObjects objects;
  objects.graph = Object(
      "{metadata: {name: llm, namespace: serving}, status: {restart: {observedID: monday, phase: "
      "Completed}, rollingUpdate: {phase: Completed, startTime: '2026-11-18T08:00:00Z', endTime: "
      "'2026-11-18T08:05:00Z'}}}");
  objects.checkpoints.push_back(
      Object("{metadata: {name: checkpoint-b, labels: {nvidia.com/dynamo-component: worker, "
             "nvidia.com/dynamo-worker-hash: bbbb}}, status: {phase: Ready}}"));
  for (const char* const name : {"p1", "p2"}) {
    objects.pods.push_back(Object(
        "{metadata: {name: " + std::string(name) +
        ", labels: {nvidia.com/dynamo-component: worker, nvidia.com/dynamo-worker-hash: bbbb, "
        "pod-template-hash: h2}}}"));
  }
  objects.pods.push_back(
      Object("{metadata: {name: g1, creationTimestamp: '2026-11-18T08:30:00Z', labels: "
             "{nvidia.com/dynamo-component: grove, grove.io/pod-template-hash: h3}}, spec: "
             "{containers: [{image: 'i:3'}]}}"));
  const auto set = [](const std::string& hash, const std::string& workers, int revision) {
    return Object(
        "{metadata: {name: " + hash + ", creationTimestamp: '2026-11-18T0" +
        std::to_string(revision + 5) +
        ":00:00Z', annotations: {deployment.kubernetes.io/revision: '" + std::to_string(revision) +
        "'}, labels: {nvidia.com/dynamo-component: worker, "
        "nvidia.com/dynamo-worker-hash: " +
        workers + ", pod-template-hash: " + hash +
        "}}, spec: {template: {spec: {containers: [{image: 'i:" + std::to_string(revision) +
        "'}]}}}}");
  };
  const History history = HistoryOf(objects, {set("h2", "bbbb", 2), set("h1", "aaaa", 1)});
  EXPECT_EQ(ToText(history, json::Time::Parse("2026-11-18T09:00:00Z")->at),
            "graph serving/llm\n"
            "last restart monday: Completed\n"
            "last update of workers: Completed, begun 2026-11-18T08:00:00Z, ended "
            "2026-11-18T08:05:00Z\n"
            "COMPONENT  REVISION  TEMPLATE  WORKERS  PODS     AGE  CHECKPOINT    PHASE  IMAGES\n"
            "grove             -  h3        -           1  30m00s  -             -      i:3\n"
            "worker            1  h1        aaaa        0   3h00m  -             -      i:1\n"
            "worker            2  h2        bbbb        2   2h00m  checkpoint-b  Ready  i:2\n");
  EXPECT_EQ(ToJson(history).Find("generations")->items().size(), 3U);
}

}  // namespace
}  // namespace hearth::dynamo
