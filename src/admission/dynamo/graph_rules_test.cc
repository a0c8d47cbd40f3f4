// V1: rows about what a graph and its components are like, each with what is refused and what is
// taken instead. The schema and its CEL rules are asked first, so these hold in total.
#include "admission/dynamo/graph_rules.h"

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
  std::string worker = "{}";        // over the component worker, spec.components[1]
  std::string object = "{}";        // over the graph
  std::vector<std::string> errors;  // empty: taken
  Setup setup = {};
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Graphs : public testing::TestWithParam<Case> {};

TEST_P(Graphs, AreToldWhatIsWrong) {
  const Case& given = GetParam();
  const Answer answer = Ask(Graph(given.worker, given.object), {.setup = given.setup});
  EXPECT_THAT(answer.errors, ElementsAreArray(given.errors));
}

constexpr const char* kOff = "nvidia.com/enable-grove: \"false\"";
const std::string kNoGrove = "{metadata: {annotations: {" + std::string(kOff) + "}}}";
const std::string kNeedsGrove =
    "requires the Grove pathway; remove or unset annotation \"nvidia.com/enable-grove\" "
    "(currently \"false\")";
const std::string kGroveIsOff =
    "requires the Grove pathway, but Grove is disabled in the operator configuration";
const std::string kContainers =
    "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: "
    "container}}}";

std::string InGraph(const std::string& member, const std::string& rest) {
  return "spec.components[1]." + member + ": " + rest;
}

INSTANTIATE_TEST_SUITE_P(
    Whole, Graphs,
    testing::Values(
        Case{.name = "Good"},
        Case{.name = "NoComponents",
             .object = "{spec: {components: []}}",
             .errors = {"spec.components: Required value: must have at least one component"}},
        Case{.name = "ComponentsMissing",
             .object = "{spec: {components: null}}",
             .errors = {"spec.components: Required value: must have at least one component"}},
        Case{.name = "PriorityOnGrove", .object = "{spec: {priorityClassName: high}}"},
        Case{.name = "PriorityWithoutGrove",
             .object = "{spec: {priorityClassName: high}}",
             .errors = {"spec.priorityClassName: Forbidden: " + kGroveIsOff},
             .setup = {.grove = false}},
        Case{.name = "PriorityOffGrove",
             .object = "{metadata: {annotations: {nvidia.com/enable-grove: \"False\"}}, spec: "
                       "{priorityClassName: high}}",
             .errors = {"spec.priorityClassName: Forbidden: requires the Grove pathway; remove or "
                        "unset annotation \"nvidia.com/enable-grove\" (currently \"False\")"}},
        Case{.name = "EnableGroveTrue",
             .object = "{metadata: {annotations: {nvidia.com/enable-grove: \"true\"}}, spec: "
                       "{priorityClassName: high}}"},
        Case{.name = "SeveralErrorsTogether",
             .worker = "{type: epp, minAvailable: 1}",
             .object = "{metadata: {annotations: {" + std::string(kOff) +
                       ", nvidia.com/grove-update-strategy: Now}}}",
             .errors = {"metadata.annotations[nvidia.com/grove-update-strategy]: Unsupported "
                        "value: \"Now\": supported values: \"RollingRecreate\", \"OnDelete\"",
                        InGraph("type",
                                "Forbidden: components of type \"epp\" are not supported by this "
                                "operator: endpoint pickers need the Gateway API inference "
                                "extension; remove the component and send requests to the "
                                "frontend"),
                        InGraph("minAvailable",
                                "Forbidden: is currently supported only for Grove-backed "
                                "DynamoGraphDeployment components")}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Annotations, Graphs,
    testing::Values(
        Case{.name = "AllGood",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: "
                       "v1.2.3-rc.1+build, nvidia.com/vllm-distributed-executor-backend: RAY, "
                       "nvidia.com/grove-update-strategy: OnDelete, "
                       "nvidia.com/dynamo-kube-discovery-mode: pod}}}"},
        Case{
            .name = "OriginVersion",
            .object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: new}}}",
            .errors = {"metadata.annotations[nvidia.com/dynamo-operator-origin-version]: Invalid "
                       "value: \"new\": must be valid semver"}},
        Case{.name = "Executor",
             .object = "{metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: "
                       "mpi}}}",
             .errors = {"metadata.annotations[nvidia.com/vllm-distributed-executor-backend]: "
                        "Invalid value: \"mpi\": must be \"mp\" or \"ray\""}},
        Case{.name = "UpdateStrategy",
             .object = "{metadata: {annotations: {nvidia.com/grove-update-strategy: Rolling}}}",
             .errors = {"metadata.annotations[nvidia.com/grove-update-strategy]: Unsupported "
                        "value: \"Rolling\": supported values: \"RollingRecreate\", "
                        "\"OnDelete\""}},
        Case{.name = "DiscoveryMode",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: node}}}",
             .errors = {"metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]: Unsupported "
                        "value: \"node\": supported values: \"pod\", \"container\""}},
        Case{.name = "FailoverFoundByContainer",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}}",
             .object = kContainers},
        Case{.name = "FailoverFoundByPod",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}}",
             .errors = {"metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]: Invalid "
                        "value: \"\": must be \"container\" when intra-pod failover is "
                        "configured"}}),
    [](const auto& info) { return info.param.name; });

// W14, and the 45 characters of Grove. The set is called "llama", or less than that.
INSTANTIATE_TEST_SUITE_P(
    Names, Graphs,
    testing::Values(
        Case{.name = "LongestPlain", .worker = "{name: " + std::string(40, 'a') + "}"},
        Case{.name = "LongGraphIsCut",
             .worker = "{name: " + std::string(20, 'a') + "}",
             .object = "{metadata: {name: " + std::string(40, 'g') + "}}"},
        Case{.name = "TooLongPlain",
             .worker = "{name: " + std::string(41, 'a') + "}",
             .errors = {InGraph("name", "Invalid value: \"" + std::string(41, 'a') +
                                            "\": combined resource name length 46 exceeds the "
                                            "45-character pod-name limit (PCS name + component "
                                            "name); shorten DynamoGraphDeployment name \"llama\" "
                                            "or component name \"" +
                                            std::string(41, 'a') + "\"")}},
        Case{.name = "TooLongMultinode",
             .worker = "{name: Abcdefghijklmnopqrs, multinode: {nodeCount: 2}}",
             .errors = {InGraph("name",
                                "Invalid value: \"Abcdefghijklmnopqrs\": combined resource name "
                                "length 47 exceeds the 45-character pod-name limit (PCS name + "
                                "PCSG name + longest PodClique name \"abcdefghijklmnopqrs-ldr\"); "
                                "shorten DynamoGraphDeployment name \"llama\" or component name "
                                "\"Abcdefghijklmnopqrs\"")}},
        Case{.name = "TooLongInterPod",
             .worker = "{name: abcdefghijklmnopqr, multinode: {nodeCount: 12}, experimental: "
                       "{gpuMemoryService: {mode: InterPod}}}",
             .errors = {InGraph("name",
                                "Invalid value: \"abcdefghijklmnopqr\": combined resource name "
                                "length 48 exceeds the 45-character pod-name limit (PCS name + "
                                "PCSG name + longest PodClique name "
                                "\"abcdefghijklmnopqr-gms-10\"); shorten DynamoGraphDeployment "
                                "name \"llama\" or component name \"abcdefghijklmnopqr\"")}},
        // Off Grove: "llama", the component and, of workers, nine characters of their hash.
        Case{.name = "LongestWorkerOffGrove",
             .worker = "{name: " + std::string(48, 'a') + "}",
             .object = kNoGrove},
        Case{.name = "TooLongWorkerOffGrove",
             .worker = "{name: " + std::string(49, 'a') + "}",
             .object = kNoGrove,
             .errors = {InGraph("name", "Invalid value: \"" + std::string(49, 'a') +
                                            "\": combined resource name length 64 exceeds the "
                                            "63-character label limit (DynamoGraphDeployment name "
                                            "+ component name + worker hash); shorten "
                                            "DynamoGraphDeployment name \"llama\" or component "
                                            "name \"" +
                                            std::string(49, 'a') + "\"")}},
        Case{.name = "LongestPlannerOffGrove",
             .worker = "{type: planner, name: " + std::string(57, 'a') + "}",
             .setup = {.grove = false}},
        Case{.name = "TooLongPlannerOffGrove",
             .worker = "{type: planner, name: " + std::string(58, 'a') + "}",
             .errors = {InGraph("name", "Invalid value: \"" + std::string(58, 'a') +
                                            "\": combined resource name length 64 exceeds the "
                                            "63-character label limit (DynamoGraphDeployment name "
                                            "+ component name); shorten DynamoGraphDeployment name "
                                            "\"llama\" or component name \"" +
                                            std::string(58, 'a') + "\"")},
             .setup = {.grove = false}},
        // On Grove as well each component has a Service, and pods a label with its name.
        Case{.name = "LongestService",
             .worker = "{name: " + std::string(33, 'w') + "}",
             .object = "{metadata: {name: " + std::string(29, 'g') + "}}"},
        Case{.name = "TooLongService",
             .worker = "{name: " + std::string(33, 'w') + "}",
             .object = "{metadata: {name: " + std::string(30, 'g') + "}}",
             .errors = {InGraph("name", "Invalid value: \"" + std::string(33, 'w') +
                                            "\": the component's Service would be called \"" +
                                            std::string(30, 'g') + "-" + std::string(33, 'w') +
                                            "\", which has 64 characters, more than the 63 that a "
                                            "Service may have; shorten DynamoGraphDeployment name "
                                            "or component name")}},
        Case{.name = "TooLongForALabel",
             .object = "{metadata: {name: " + std::string(64, 'g') + "}}",
             .errors = {"metadata.name: Invalid value: \"" + std::string(64, 'g') +
                        "\": must be at most 63 characters long: it becomes a label value"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Components, Graphs,
    testing::Values(
        Case{.name = "MinAvailableOnGrove", .worker = "{replicas: 3, minAvailable: 2}"},
        Case{.name = "MinAvailableOffGrove",
             .worker = "{replicas: 3, minAvailable: 2}",
             .object = kNoGrove,
             .errors = {InGraph("minAvailable",
                                "Forbidden: is currently supported only for Grove-backed "
                                "DynamoGraphDeployment components")}},
        Case{.name = "FrontendSidecar", .worker = "{frontendSidecar: side}"},
        Case{.name = "FrontendSidecarWithoutTemplate",
             .worker = "{frontendSidecar: side, podTemplate: null}",
             .errors = {InGraph("podTemplate.spec.containers",
                                "Required value: is required when frontendSidecar is set")}},
        Case{.name = "FrontendSidecarEmpty",
             .worker = "{frontendSidecar: \"\"}",
             .errors = {InGraph("frontendSidecar", "Invalid value: \"\": must not be empty")}},
        Case{
            .name = "FrontendSidecarUnknown",
            .worker = "{frontendSidecar: other}",
            .errors = {InGraph("frontendSidecar",
                               "Invalid value: \"other\": must match a podTemplate.spec.containers "
                               "name")}},
        Case{.name = "SharedMemoryNone", .worker = "{sharedMemorySize: 0}"},
        Case{.name = "SharedMemoryNoneWithASign", .worker = "{sharedMemorySize: '-0'}"},
        Case{.name = "SharedMemoryNegative",  // by CEL
             .worker = "{sharedMemorySize: -1Gi}",
             .errors = {InGraph("sharedMemorySize", "Invalid value: \"\": must be non-negative")}}),
    [](const auto& info) { return info.param.name; });

const std::string kTooFewGpus =
    "Forbidden: GPU memory service requires "
    "podTemplate.spec.containers[main].resources.limits.nvidia.com/gpu >= 1";

std::string Resources(const std::string& resources) {
  return "podTemplate: {spec: {containers: [{name: main, image: e, args: [python3 -m dynamo.vllm], "
         "resources: " +
         resources + "}]}}";
}

INSTANTIATE_TEST_SUITE_P(
    GpuMemory, Graphs,
    testing::Values(
        Case{.name = "Worker", .worker = "{experimental: {gpuMemoryService: {}}}"},
        Case{.name = "Decode", .worker = "{type: decode, experimental: {gpuMemoryService: {}}}"},
        Case{.name = "Planner",
             .worker = "{type: planner, experimental: {gpuMemoryService: {}}}",
             .errors = {InGraph("experimental.gpuMemoryService",
                                "Forbidden: GPU memory service is only supported for worker, "
                                "prefill, or decode components")}},
        Case{.name = "Untyped",
             .worker = "{type: null, experimental: {gpuMemoryService: {}}}",
             .errors = {InGraph("experimental.gpuMemoryService",
                                "Forbidden: GPU memory service is only supported for worker, "
                                "prefill, or decode components")}},
        // V4
        Case{.name = "GpuInRequests",
             .worker = "{experimental: {gpuMemoryService: {}}, " +
                       Resources("{requests: {nvidia.com/gpu: 2}}") + "}"},
        Case{.name = "GpuOfAnotherType",
             .worker = "{experimental: {gpuMemoryService: {}}, " +
                       Resources("{limits: {gpu.intel.com/xe: \"1\"}}") + "}"},
        Case{.name = "Mig",
             .worker = "{experimental: {gpuMemoryService: {}}, " +
                       Resources("{limits: {nvidia.com/mig-1g.5gb: 1}}") + "}"},
        Case{.name = "NoGpu",
             .worker = "{experimental: {gpuMemoryService: {}}, " + Resources("{limits: {cpu: 8}}") +
                       "}",
             .errors = {InGraph("experimental.gpuMemoryService", kTooFewGpus)}},
        Case{.name = "HalfAGpu",
             .worker = "{experimental: {gpuMemoryService: {}}, " +
                       Resources("{limits: {nvidia.com/gpu: 500m}}") + "}",
             .errors = {InGraph("experimental.gpuMemoryService", kTooFewGpus)}},
        Case{.name = "GpuOfASidecar",
             .worker = "{experimental: {gpuMemoryService: {}}, podTemplate: {spec: {containers: "
                       "[{name: main, image: e, args: [python3 -m dynamo.vllm]}, {name: side, "
                       "image: s, resources: {limits: {nvidia.com/gpu: 1}}}]}}}",
             .errors = {InGraph("experimental.gpuMemoryService", kTooFewGpus)}},
        Case{.name = "InterPod", .worker = "{experimental: {gpuMemoryService: {mode: InterPod}}}"},
        Case{
            .name = "InterPodOffGrove",
            .worker = "{experimental: {gpuMemoryService: {mode: InterPod}}}",
            .object = kNoGrove,
            .errors = {InGraph("experimental.gpuMemoryService.mode", "Forbidden: " + kNeedsGrove)}},
        Case{.name = "InterPodWithSglang",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}}}",
             .object = "{spec: {backendFramework: sglang}}",
             .errors = {InGraph("experimental.gpuMemoryService.mode",
                                "Invalid value: \"InterPod\": the inter-pod GMS layout is "
                                "currently supported only for vLLM (detected backend: sglang)")}},
        Case{.name = "InterPodWithNoBackend",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}}}",
             .object = "{spec: {backendFramework: null}}",
             .errors = {InGraph("experimental.gpuMemoryService.mode",
                                "Invalid value: \"InterPod\": the inter-pod GMS layout is "
                                "currently supported only for vLLM (detected backend: <unset>)")}},
        Case{.name = "KnownClient",
             .worker = "{experimental: {gpuMemoryService: {extraClientContainers: [side]}}}"},
        Case{.name = "UnknownClient",
             .worker = "{experimental: {gpuMemoryService: {extraClientContainers: [side, sied]}}}",
             .errors = {InGraph("experimental.gpuMemoryService.extraClientContainers[1]",
                                "Invalid value: \"sied\": does not name a container in "
                                "podTemplate.spec.containers")}}),
    [](const auto& info) { return info.param.name; });

// Loader and saver of the operator.
const std::string kTaken =
    "is added by the operator when gpuMemoryService.checkpoint is set; rename the container, or "
    "remove gpuMemoryService.checkpoint";

INSTANTIATE_TEST_SUITE_P(
    LoaderAndSaver, Graphs,
    testing::Values(
        Case{.name = "Defaults", .worker = "{experimental: {gpuMemoryService: {checkpoint: {}}}}"},
        Case{.name = "OtherMounts",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {loader: {volumeMounts: "
                       "[{name: v, mountPath: /gms-intrapod-control-2}]}}}}}"},
        Case{.name = "MountOverTheSockets",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {loader: {volumeMounts: "
                       "[{name: v, mountPath: /data}, {name: v, mountPath: "
                       "//gms-intrapod-control/.}]}, saver: {volumeMounts: [{name: v, mountPath: "
                       "/gms-intrapod-control/x}]}}}}}",
             .errors = {InGraph("experimental.gpuMemoryService.checkpoint.loader.volumeMounts[1]."
                                "mountPath",
                                "Invalid value: \"//gms-intrapod-control/.\": collides with the "
                                "operator's mount at /gms-intrapod-control; choose another path"),
                        InGraph("experimental.gpuMemoryService.checkpoint.saver.volumeMounts[0]."
                                "mountPath",
                                "Invalid value: \"/gms-intrapod-control/x\": collides with the "
                                "operator's mount at /gms-intrapod-control; choose another path")}},
        // The loader is with the server of another pod, the saver with that of the Job.
        Case{.name = "MountOverTheSocketsOfAnotherPod",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod, checkpoint: {loader: "
                       "{volumeMounts: [{name: v, mountPath: /gms-intrapod-control}, {name: v, "
                       "mountPath: /run/gms/shared}]}, saver: {volumeMounts: [{name: v, mountPath: "
                       "/gms-intrapod-control}, {name: v, mountPath: /run/gms/shared}]}}}}}",
             .errors = {InGraph("experimental.gpuMemoryService.checkpoint.loader.volumeMounts[1]."
                                "mountPath",
                                "Invalid value: \"/run/gms/shared\": collides with the operator's "
                                "mount at /run/gms/shared; choose another path"),
                        InGraph("experimental.gpuMemoryService.checkpoint.saver.volumeMounts[0]."
                                "mountPath",
                                "Invalid value: \"/gms-intrapod-control\": collides with the "
                                "operator's mount at /gms-intrapod-control; choose another path")}},
        // W16: whoever saves over such a mount saves nothing.
        Case{.name = "MountOverTheStorage",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {loader: {volumeMounts: "
                       "[{name: v, mountPath: /checkpoints-2}, {name: v, mountPath: "
                       "/a/../checkpoints/}]}, saver: {volumeMounts: [{name: v, mountPath: "
                       "/checkpoints/gms}]}}}}}",
             .errors = {InGraph("experimental.gpuMemoryService.checkpoint.loader.volumeMounts[1]."
                                "mountPath",
                                "Invalid value: \"/a/../checkpoints/\": collides with the "
                                "operator's mount at /checkpoints; choose another path"),
                        InGraph("experimental.gpuMemoryService.checkpoint.saver.volumeMounts[0]."
                                "mountPath",
                                "Invalid value: \"/checkpoints/gms\": collides with the "
                                "operator's mount at /checkpoints; choose another path")}},
        Case{.name = "MountOverTheStorageElsewhere",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {saver: {volumeMounts: "
                       "[{name: v, mountPath: /checkpoints}, {name: v, mountPath: /mnt/ck}]}}}}}",
             .errors = {InGraph("experimental.gpuMemoryService.checkpoint.saver.volumeMounts[1]."
                                "mountPath",
                                "Invalid value: \"/mnt/ck\": collides with the operator's mount at "
                                "/mnt/ck; choose another path")},
             .setup = {.checkpoint_path = "/mnt/ck/"}},
        Case{.name = "OwnContainersWithoutTheBlock",
             .worker = "{experimental: {gpuMemoryService: {extraClientContainers: [gms-loader]}}, "
                       "podTemplate: {spec: {containers: [{name: main, image: e, args: [python3 -m "
                       "dynamo.vllm], resources: {limits: {nvidia.com/gpu: 1}}}, {name: "
                       "gms-loader, image: l}]}}}"},
        Case{.name = "NameTaken",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {}}}, podTemplate: {spec: "
                       "{containers: [{name: main, image: e, args: [python3 -m dynamo.vllm], "
                       "resources: {limits: {nvidia.com/gpu: 1}}}, {name: gms-loader, image: "
                       "l}]}}}",
             .errors = {InGraph("podTemplate.spec.containers[1].name",
                                "Invalid value: \"gms-loader\": " + kTaken)}},
        Case{.name = "NameTakenInTheJob",
             .worker = "{experimental: {gpuMemoryService: {checkpoint: {}}, checkpoint: {enabled: "
                       "true, job: {podTemplate: {spec: {containers: [{name: gms-saver, image: "
                       "s}]}}}}}}",
             .errors = {InGraph("experimental.checkpoint.job.podTemplate.spec.containers[0].name",
                                "Invalid value: \"gms-saver\": " + kTaken)}}),
    [](const auto& info) { return info.param.name; });

// What the operator puts into the pod of whoever uses the service, as the user has it there.
std::string WithPod(const std::string& mode, const std::string& mounts, const std::string& rest) {
  return "{experimental: {gpuMemoryService: {mode: " + mode +
         "}}, podTemplate: {spec: {containers: [{name: main, image: e, args: [python3 -m "
         "dynamo.vllm], volumeMounts: " +
         mounts + ", resources: {limits: {nvidia.com/gpu: 1}}}" + rest + "}}}";
}
const std::string kOwnMount = "[{name: gms-intrapod-control, mountPath: /gms-intrapod-control}]";

INSTANTIATE_TEST_SUITE_P(
    PodOfTheService, Graphs,
    testing::Values(
        // As the operator would write it: an init container of that name is taken for the server.
        Case{.name = "ThatIsPrepared",
             .worker = WithPod("IntraPod", kOwnMount,
                               "], volumes: [{name: gms-intrapod-control, emptyDir: {}}], "
                               "initContainers: [{name: gms-server, image: s}]")},
        Case{.name = "ServerAmongTheContainers",
             .worker = WithPod("IntraPod", "[]", ", {name: gms-server, image: s}]"),
             .errors = {InGraph("podTemplate.spec.containers[1].name",
                                "Invalid value: \"gms-server\": is added by the operator when "
                                "gpuMemoryService is set; rename the container")}},
        Case{.name = "VolumeOfTheUser",
             .worker = WithPod("IntraPod", kOwnMount,
                               "], volumes: [{name: gms-intrapod-control, hostPath: {path: /x}}]"),
             .errors = {InGraph("podTemplate.spec.volumes[0].name",
                                "Invalid value: \"gms-intrapod-control\": is the operator's volume "
                                "when gpuMemoryService is set, an emptyDir; rename yours")}},
        Case{.name = "MountOverTheSocketsOfMain",
             .worker = WithPod("IntraPod", "[{name: v, mountPath: /gms-intrapod-control/}]", "]"),
             .errors = {InGraph("podTemplate.spec.containers[0].volumeMounts[0].mountPath",
                                "Invalid value: \"/gms-intrapod-control/\": collides with the "
                                "operator's mount at /gms-intrapod-control; choose another path")}},
        Case{.name = "MountOfSomebodyWhoDoesNotUseIt",
             .worker = WithPod("IntraPod", "[]",
                               ", {name: side, image: s, volumeMounts: [{name: v, mountPath: "
                               "/gms-intrapod-control}]}]")},
        Case{.name = "MountOverTheSharedSocketsOfMain",
             .worker = WithPod("InterPod",
                               "[{name: v, mountPath: /run/gms/shared}, {name: w, mountPath: "
                               "/gms-intrapod-control}]",
                               "]"),
             .errors = {InGraph("podTemplate.spec.containers[0].volumeMounts[0].mountPath",
                                "Invalid value: \"/run/gms/shared\": collides with the operator's "
                                "mount at /run/gms/shared; choose another path")}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Failover, Graphs,
    testing::Values(
        Case{.name = "IntraPod",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {numShadows: 1}}}",
             .object = kContainers},
        Case{.name = "InterPod",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: "
                       "InterPod}}}"},
        Case{.name = "WithoutMemory",  // by CEL
             .worker = "{experimental: {failover: {}}}",
             .object = kContainers,
             .errors = {InGraph("experimental.failover",
                                "Forbidden: gpuMemoryService is required when failover mode is "
                                "\"IntraPod\"")}},
        Case{.name = "OtherMode",  // by CEL
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {}}}",
             .object = kContainers,
             .errors = {InGraph("experimental.failover.mode",
                                "Invalid value: \"object\": must match gpuMemoryService.mode "
                                "\"InterPod\"")}},
        Case{.name = "InterPodWithoutGpu",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: "
                       "InterPod}}, " +
                       Resources("{}") + "}",
             .errors = {InGraph("experimental.gpuMemoryService", kTooFewGpus),
                        InGraph("experimental.failover",
                                "Forbidden: GMS failover requires at least 1 GPU in "
                                "podTemplate.spec.containers[main].resources.limits.nvidia.com/"
                                "gpu")}},
        Case{.name = "InterPodPlanner",
             .worker = "{type: planner, experimental: {gpuMemoryService: {mode: InterPod}, "
                       "failover: {mode: InterPod}}}",
             .errors = {InGraph("experimental.gpuMemoryService",
                                "Forbidden: GPU memory service is only supported for worker, "
                                "prefill, or decode components"),
                        InGraph("experimental.failover",
                                "Forbidden: GMS failover is not supported for component type "
                                "\"planner\"")}},
        // W16
        Case{.name = "IntraPodOfSglang",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}, podTemplate: {spec: "
                       "{containers: [{name: main, image: e, command: [sh, -c], args: [\"cd /w && "
                       "exec python3 -m dynamo.sglang\"], resources: {limits: {nvidia.com/gpu: "
                       "1}}}]}}}",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: "
                       "container}}, spec: {backendFramework: sglang}}",
             .errors = {InGraph("experimental.failover",
                                "Forbidden: failover is currently supported only for vLLM "
                                "(detected: sglang)")}},
        Case{.name = "IntraPodOfNothingKnown",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}, podTemplate: {spec: "
                       "{containers: [{name: main, image: e, resources: {limits: {nvidia.com/gpu: "
                       "1}}}]}}}",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: "
                       "container}}, spec: {backendFramework: null}}",
             .errors = {InGraph("experimental.failover",
                                "Forbidden: failover is currently supported only for vLLM "
                                "(detected: <unset>)")}},
        Case{.name = "IntraPodBackendDetected",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}}",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-kube-discovery-mode: "
                       "container}}, spec: {backendFramework: null}}"},
        Case{.name = "IntraPodEngineNameTaken",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}}, podTemplate: {spec: "
                       "{containers: [{name: main, image: e, args: [python3 -m dynamo.vllm], "
                       "resources: {limits: {nvidia.com/gpu: 1}}}, {name: engine-1, image: x}]}}}",
             .object = kContainers,
             .errors = {InGraph("podTemplate.spec.containers[1].name",
                                "Invalid value: \"engine-1\": is the name of an engine of "
                                "intra-pod failover; rename the container")}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Checkpoint, Graphs,
    testing::Values(
        Case{.name = "Plain", .worker = "{experimental: {checkpoint: {enabled: true}}}"},
        Case{.name = "WithMemory",
             .worker = "{experimental: {gpuMemoryService: {}, checkpoint: {enabled: true}}}"},
        Case{.name = "WithIntraPodFailover",
             .worker = "{experimental: {gpuMemoryService: {}, failover: {}, checkpoint: {enabled: "
                       "true}}}",
             .object = kContainers},
        Case{.name = "OperatorHasThemOff",
             .worker = "{experimental: {checkpoint: {enabled: true}}}",
             .errors = {InGraph("experimental.checkpoint",
                                "Forbidden: checkpoint functionality is disabled in the operator "
                                "configuration")},
             .setup = {.checkpoints = false}},
        Case{.name = "DisabledIsAbsent",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, checkpoint: {enabled: "
                       "false, targetContainerName: none, job: {podTemplate: {any: thing}}}}}",
             .setup = {.checkpoints = false, .gms_snapshots = false}},
        Case{.name = "GateClosed",
             .worker = "{experimental: {gpuMemoryService: {}, checkpoint: {enabled: true}}}",
             .errors = {InGraph("experimental.checkpoint",
                                "Forbidden: GMS + Snapshot is temporarily disabled; disable "
                                "gpuMemoryService or enable the internal GMS + Snapshot gate")},
             .setup = {.gms_snapshots = false}},
        Case{.name = "GateClosedWithoutMemory",
             .worker = "{experimental: {checkpoint: {enabled: true}}}",
             .setup = {.gms_snapshots = false}},
        Case{.name = "InterPod",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, checkpoint: {enabled: "
                       "true}}}"},
        Case{.name = "InterPodByReferenceWithALoader",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod, checkpoint: {loader: "
                       "{image: l}}}, checkpoint: {enabled: true, checkpointRef: warm}}}"},
        // W16
        Case{.name = "InterPodFailover",
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: "
                       "InterPod}, checkpoint: {enabled: true}}}",
             .errors = {InGraph("experimental.checkpoint",
                                "Forbidden: Snapshot with active/passive failover is temporarily "
                                "unsupported")}},
        Case{.name = "OtherTarget",
             .worker = "{experimental: {checkpoint: {enabled: true, targetContainerName: side}}}"},
        Case{.name = "NoSuchTarget",
             .worker = "{experimental: {checkpoint: {enabled: true, targetContainerName: other}}}",
             .errors = {InGraph("experimental.checkpoint.targetContainerName",
                                "Invalid value: \"other\": checkpoint restore target \"other\" "
                                "does not exist in pod spec")}},
        // W14, by CEL
        Case{.name = "LongTarget",
             .worker = "{experimental: {checkpoint: {enabled: true, targetContainerName: " +
                       std::string(34, 't') + "}}}",
             .errors = {InGraph("experimental.checkpoint.targetContainerName",
                                "Invalid value: \"string\": must be at most 33 characters long: "
                                "the name becomes part "
                                "of annotation keys")}},
        // W36
        Case{.name = "JobTemplate",
             .worker = "{experimental: {checkpoint: {enabled: true, job: {podTemplate: {metadata: "
                       "{labels: {a: b}}, spec: {nodeSelector: {a: b}, containers: [{name: main, "
                       "ports: [{containerPort: 80}], resources: {limits: {cpu: 1}}}]}}}}}}"},
        Case{.name = "JobTemplateMisspelt",
             .worker = "{experimental: {checkpoint: {enabled: true, job: {podTemplate: {spec: "
                       "{nodeSelektor: {a: b}, containers: [{name: main, volumeMount: []}]}}}}}}",
             .errors = {InGraph("experimental.checkpoint.job.podTemplate.spec.containers[0]."
                                "volumeMount",
                                "Forbidden: unknown field: not part of a pod template; check "
                                "the spelling"),
                        InGraph("experimental.checkpoint.job.podTemplate.spec.nodeSelektor",
                                "Forbidden: unknown field: not part of a pod template; check "
                                "the spelling")}},
        Case{.name = "JobTemplateOfAnotherType",
             .worker = "{experimental: {checkpoint: {enabled: true, job: {podTemplate: {metadata: "
                       "{labels: {a: 1}}, spec: {containers: [{name: main, env: x}]}}}}}}",
             .errors = {InGraph("experimental.checkpoint.job.podTemplate.metadata.labels.a",
                                "Invalid value: \"integer\": podTemplate.metadata.labels.a in body "
                                "must be of type string: \"integer\""),
                        InGraph("experimental.checkpoint.job.podTemplate.spec.containers[0].env",
                                "Invalid value: \"string\": podTemplate.spec.containers[0].env in "
                                "body must be of type array: \"string\"")}},
        Case{.name = "JobTemplateWithANamelessContainer",
             .worker = "{experimental: {checkpoint: {enabled: true, job: {podTemplate: {spec: "
                       "{containers: [{image: e}]}}}}}}",
             .errors = {InGraph("experimental.checkpoint.job.podTemplate.spec.containers[0].name",
                                "Required value")}}),
    [](const auto& info) { return info.param.name; });

TEST(GraphWarnings, TellWhatWillNotWork) {
  EXPECT_THAT(Ask(Graph("{multinode: {nodeCount: 2}}", kNoGrove)).warnings,
              ElementsAre(HasSubstr("spec.components[1].multinode: no multinode orchestrator "
                                    "available")));
  EXPECT_THAT(Ask(Graph("{multinode: {nodeCount: 2}}")).warnings, IsEmpty());
  EXPECT_THAT(Ask(Graph("{}", "{spec: {backendFramework: sglang}}")).warnings,
              ElementsAre("spec.components[1].podTemplate: backend framework mismatch: detected "
                          "\"vllm\" from command but explicitly configured as \"sglang\""));
  // W3
  EXPECT_THAT(Ask(Graph("{experimental: {gpuMemoryService: {}}, podTemplate: {spec: {containers: "
                        "[{name: main, image: e, command: [/start], resources: {limits: "
                        "{nvidia.com/gpu: 1}}}]}}}"))
                  .warnings,
              ElementsAre(HasSubstr("add the flag yourself")));
  EXPECT_THAT(Ask(Graph("{experimental: {gpuMemoryService: {}, checkpoint: {enabled: true, job: "
                        "{gmsClientContainers: [main, gms-saver, other]}}}}"))
                  .warnings,
              ElementsAre(HasSubstr("the Job has no container \"other\"")));
  EXPECT_THAT(Ask(Graph("{experimental: {gpuMemoryService: {checkpoint: {saver: {envs: [{name: "
                        "GMS_SOCKET_DIR, value: /x}]}}}}}"))
                  .warnings,
              ElementsAre(HasSubstr("checkpoint.saver.envs: GMS_SOCKET_DIR is the operator's")));
  EXPECT_THAT(Ask(Graph("{experimental: {checkpoint: {enabled: true}}, podTemplate: {spec: "
                        "{containers: [{name: main, image: e}]}}}",
                        "{spec: {backendFramework: null}}"))
                  .warnings,
              ElementsAre(HasSubstr("backend framework for component worker could not be "
                                    "determined")));
  EXPECT_THAT(Ask(Graph()).warnings, IsEmpty());
}

}  // namespace
}  // namespace hearth::admission::dynamo
