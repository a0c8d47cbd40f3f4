// V2, V3, V5 and weak points that the schema and its CEL rules already refuse, so that no rule here
// repeats them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

void ExpectFromSchema(const Answer& answer, const std::string& text) {
  EXPECT_TRUE(answer.from_schema) << text;
  EXPECT_THAT(answer.errors, Contains(HasSubstr(text)));
}

struct Case {
  std::string name;
  std::string worker = "{}";
  std::string object = "{}";
  std::string text;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class SchemaRefusals : public testing::TestWithParam<Case> {};

TEST_P(SchemaRefusals, OfNewGraphs) {  // V2
  ExpectFromSchema(Ask(Graph(GetParam().worker, GetParam().object)), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    V2, SchemaRefusals,
    testing::Values(
        Case{.name = "ClientContainersWithInterPod",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod, extraClientContainers: "
                       "[side]}}}",
             .text = "extraClientContainers is only supported with mode=IntraPod"},
        Case{.name = "ClientPods",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod, extraClientPods: "
                       "[{name: a, podTemplate: {}}]}}}",
             .text = "extraClientPods is reserved for inter-pod GMS and is not implemented yet"},
        Case{.name = "ClientPodsWithIntraPod",
             .worker = "{experimental: {gpuMemoryService: {extraClientPods: [{name: a, "
                       "podTemplate: {}}]}}}",
             .text = "extraClientPods is only supported with mode=InterPod"},
        Case{.name = "SameClientTwice",
             .worker = "{experimental: {gpuMemoryService: {extraClientContainers: [side, side]}}}",
             .text = "extraClientContainers[1]: Duplicate value: \"side\""},
        Case{.name = "JobWithReference",
             .worker = "{experimental: {checkpoint: {enabled: true, checkpointRef: r, job: {}}}}",
             .text = "checkpoint.job cannot be set when checkpointRef is specified"},
        Case{.name = "RestartOnCreate",
             .object = "{spec: {restart: {id: a}}}",
             .text = "spec.restart must be unset on create; set spec.restart.id after creation to "
                     "request a restart"},
        Case{.name = "MinAvailableAboveReplicas",
             .worker = "{replicas: 1, minAvailable: 2}",
             .text = "minAvailable must be less than or equal to replicas unless replicas is 0"},
        Case{.name = "NamesThatDifferInCaseOnly",
             .object = "{spec: {components: [{name: a}, {name: A}]}}",
             .text = "component names must be unique case-insensitively"},
        Case{.name = "SidecarWithoutImage",
             .worker = "{podTemplate: {spec: {containers: [{name: main}, {name: side}]}}}",
             .text = "sidecar containers must specify a non-empty image"},
        Case{.name = "InitContainerWithoutImage",
             .worker = "{podTemplate: {spec: {containers: [{name: main}], initContainers: [{name: "
                       "i}]}}}",
             .text = "init containers must specify a non-empty image"},
        Case{.name = "ExecutorOfThePod",
             .worker = "{podTemplate: {metadata: {annotations: "
                       "{nvidia.com/vllm-distributed-executor-backend: x}}}}",
             .text = "podTemplate backend annotation must be mp or ray, case-insensitively"},
        Case{.name = "JobClientsWithoutMemory",
             .worker = "{experimental: {checkpoint: {enabled: true, job: {gmsClientContainers: "
                       "[s]}}}}",
             .text = "experimental.checkpoint.job.gmsClientContainers: Forbidden: requires "
                     "gpuMemoryService to be set"},
        Case{.name = "JobClientsWithInterPod",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, checkpoint: {enabled: "
                       "true, job: {gmsClientContainers: [s]}}}}",
             .text = "experimental.checkpoint.job.gmsClientContainers: Forbidden: is only "
                     "supported with gpuMemoryService.mode=IntraPod"},
        Case{.name = "TwoShadows",  // W17
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: "
                       "InterPod, numShadows: 2}}}",
             .text = "should be less than or equal to 1"}),
    [](const auto& info) { return info.param.name; });

TEST(SchemaRefusal, OfChangedMinAvailable) {  // V2
  ExpectFromSchema(
      AskUpdate(Graph("{replicas: 3, minAvailable: 2}"), Graph("{replicas: 3, minAvailable: 3}")),
      "minAvailable is immutable after creation");
}

// W26: what was captured must be what is written.
TEST(SchemaRefusal, OfChangesOfACheckpoint) {
  const std::string fixed = "is immutable after creation; make a new DynamoCheckpoint";
  ExpectFromSchema(AskUpdate(Checkpoint(), Checkpoint("{spec: {identity: {model: other}}}")),
                   "spec.identity is immutable after creation");
  const std::pair<const char*, const char*> changes[] = {
      {"{spec: {gpuMemoryService: null}}", "spec.gpuMemoryService: "},
      {"{spec: {gpuMemoryService: {deviceClassName: other}}}", "spec.gpuMemoryService: "},
      {"{spec: {job: {podTemplateSpec: {metadata: {labels: {a: b}}}}}}",
       "spec.job.podTemplateSpec: "},
      {"{spec: {job: {targetContainerName: save}}}", "spec.job.targetContainerName: "},
      {"{spec: {job: {sharedMemory: {size: 1Gi}}}}", "spec.job.sharedMemory: "},
      {"{spec: {job: {backoffLimit: 1}}}", "spec.job.backoffLimit: "}};
  for (const auto& [change, path] : changes) {
    const Answer answer = AskUpdate(Checkpoint(), Checkpoint(change));
    ExpectFromSchema(answer, fixed);
    EXPECT_THAT(answer.errors, Contains(HasSubstr(path))) << change;
  }
  EXPECT_THAT(AskUpdate(Checkpoint(), Checkpoint()).errors, IsEmpty());
  EXPECT_THAT(AskUpdate(Checkpoint(), Checkpoint("{spec: {job: {activeDeadlineSeconds: 60}}, "
                                                 "metadata: {labels: {a: b}}}"))
                  .errors,
              IsEmpty());
}

// W14
TEST(SchemaRefusal, OfLongNamesOfACheckpoint) {
  ExpectFromSchema(Ask(Checkpoint("{metadata: {name: " + std::string(64, 'c') + "}}")),
                   "metadata.name must be at most 63 characters long");
  ExpectFromSchema(
      Ask(Checkpoint("{spec: {job: {targetContainerName: " + std::string(34, 't') + "}}}")),
      "must be at most 33 characters long");
  ExpectFromSchema(Ask(Checkpoint("{spec: {gpuMemoryService: {checkpoint: {loader: {}}}}}")),
                   "loader is not valid on DynamoCheckpoint; set it on the consuming component");
}

constexpr std::string_view kOlder = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    Worker: {componentType: worker}
    worker: {componentType: worker}
    "": {componentType: worker}
)";

// V3: the CEL rules of the newer version do not reach the older one.
TEST(OlderObjects, WithNamesThatCollideStayChangeable) {
  Value changed = Yaml(kOlder);
  changed.MakePath("spec.labels").Set("a", "b");
  EXPECT_FALSE(AskUpdate(Yaml(kOlder), changed).from_schema);
}

constexpr std::string_view kOlderFailover = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata: {name: c}
spec:
  componentType: worker
  failover: {enabled: false, numShadows: 3}
)";

TEST(OlderObjects, WithShadowsOfAFailoverThatIsOffAreTaken) {  // V5
  EXPECT_THAT(Ask(Yaml(kOlderFailover)).errors, IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::dynamo
