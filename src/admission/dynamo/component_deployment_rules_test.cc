// V1 and V6: a DynamoComponentDeployment, alone or made by a graph.
#include "admission/dynamo/component_deployment_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
  std::string name;
  std::string object;
  std::vector<std::string> errors = {};  // empty: taken
  Setup setup = {};
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class ComponentDeployments : public testing::TestWithParam<Case> {};

TEST_P(ComponentDeployments, AreToldWhatIsWrong) {
  const Case& given = GetParam();
  EXPECT_THAT(Ask(Component(given.object), {.setup = given.setup}).errors,
              ElementsAreArray(given.errors));
}

const std::string kOwned =
    "metadata: {ownerReferences: [{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, "
    "name: g, uid: u, controller: true}]}";
const std::string kAlone =
    "spec.experimental.gpuMemoryService.mode: Forbidden: the inter-pod GMS layout is not supported "
    "on a stand-alone DynamoComponentDeployment; make it a component of a DynamoGraphDeployment on "
    "the Grove pathway, or use mode IntraPod";

INSTANTIATE_TEST_SUITE_P(
    All, ComponentDeployments,
    testing::Values(
        Case{.name = "Good", .object = "{}"},
        Case{.name = "MinAvailable",
             .object = "{spec: {minAvailable: 1}}",
             .errors = {"spec.minAvailable: Forbidden: is currently supported only for "
                        "Grove-backed DynamoGraphDeployment components"}},
        Case{.name = "Memory", .object = "{spec: {experimental: {gpuMemoryService: {}}}}"},
        Case{.name = "MemoryOfAFrontend",
             .object = "{spec: {type: frontend, experimental: {gpuMemoryService: {}}}}",
             .errors = {"spec.experimental.gpuMemoryService: Forbidden: GPU memory service is only "
                        "supported for worker, prefill, or decode components"}},
        // V6 and W16: upstream takes this and fails later.
        Case{.name = "InterPodAlone",
             .object = "{spec: {experimental: {gpuMemoryService: {mode: InterPod}}}}",
             .errors = {kAlone}},
        Case{.name = "InterPodOfSomethingElse",
             .object = "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: Deployment, "
                       "name: d, uid: u, controller: true}]}, spec: {experimental: "
                       "{gpuMemoryService: {mode: InterPod}}}}",
             .errors = {kAlone}},
        Case{.name = "InterPodOfAGraph",
             .object = "{" + kOwned +
                       ", spec: {experimental: {gpuMemoryService: {mode: "
                       "InterPod}}}}"},
        Case{.name = "IntraPodFailoverOfTrtllm",
             .object = "{spec: {backendFramework: trtllm, podTemplate: {spec: {containers: [{name: "
                       "main, image: e, resources: {limits: {nvidia.com/gpu: 1}}}]}}, "
                       "experimental: {gpuMemoryService: {}, failover: {}}}}",
             .errors = {"spec.experimental.failover: Forbidden: failover is currently supported "
                        "only for vLLM (detected: trtllm)"}},
        Case{.name = "IntraPodFailover",
             .object = "{spec: {experimental: {gpuMemoryService: {}, failover: {}}}}"},
        Case{.name = "GateClosed",
             .object = "{spec: {experimental: {gpuMemoryService: {}, checkpoint: {enabled: "
                       "true}}}}",
             .errors = {"spec.experimental.checkpoint: Forbidden: GMS + Snapshot is temporarily "
                        "disabled; disable gpuMemoryService or enable the internal GMS + Snapshot "
                        "gate"},
             .setup = {.gms_snapshots = false}},
        Case{.name = "CheckpointByReference",
             .object = "{spec: {experimental: {checkpoint: {enabled: true, checkpointRef: w}}}}"},
        Case{.name = "JobTemplateMisspelt",
             .object = "{spec: {experimental: {checkpoint: {enabled: true, job: {podTemplate: "
                       "{specs: {}}}}}}}",
             .errors = {"spec.experimental.checkpoint.job.podTemplate.specs: Forbidden: "
                        "unknown field: not part of a pod template; check the spelling"}},
        Case{.name = "EndpointPicker",
             .object = "{spec: {type: epp}}",
             .errors = {"spec.type: Forbidden: components of type \"epp\" are not supported by "
                        "this operator: endpoint pickers need the Gateway API inference extension; "
                        "remove the component and send requests to the frontend"}},
        Case{.name = "LongName",
             .object = "{metadata: {name: " + std::string(64, 'n') + "}}",
             .errors = {"metadata.name: Invalid value: \"" + std::string(64, 'n') +
                        "\": must be at most 63 characters long: it becomes a label value"}}),
    [](const auto& info) { return info.param.name; });

TEST(ComponentDeployment, CannotChangeItsBackend) {
  const Answer answer = AskUpdate(Component("{spec: {podTemplate: null}}"),
                                  Component("{spec: {podTemplate: null, backendFramework: null}}"));
  EXPECT_THAT(answer.errors, ElementsAre("spec.backendFramework: Invalid value: \"\": is immutable "
                                         "and cannot be changed after creation"));
  EXPECT_THAT(answer.warnings,
              ElementsAre("Changing spec.backendFramework may cause unexpected behavior"));
}

TEST(ComponentDeployment, CannotChangeItsLayout) {
  const std::string inter =
      "{" + kOwned + ", spec: {experimental: {gpuMemoryService: {mode: InterPod}}}}";
  EXPECT_THAT(AskUpdate(Component("{" + kOwned + "}"), Component(inter)).errors,
              ElementsAre(HasSubstr("delete and recreate the DynamoComponentDeployment")));
  EXPECT_THAT(AskUpdate(Component(), Component("{spec: {multinode: {}}}")).errors,
              ElementsAre(HasSubstr("spec.multinode: Invalid value: {\"nodeCount\":2}: cannot "
                                    "change node topology")));
}

// Only graphs give their replicas to a scaler.
TEST(ComponentDeployment, MayBeScaledByAnybody) {
  EXPECT_THAT(AskUpdate(Component("{spec: {scalingAdapter: {}}}"),
                        Component("{spec: {scalingAdapter: {}, replicas: 3}}"))
                  .errors,
              IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::dynamo
