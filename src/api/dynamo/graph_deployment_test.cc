#include "api/dynamo/graph_deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamo/component_deployment.h"
#include "api/dynamo/graph_status.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::api::dynamo {
namespace {

using testing::SizeIs;

json::Value Yaml(std::string_view text) {
  auto value = json::ParseYamlDocument(text);
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? *value : json::Value();
}

template <typename T>
Result<T> Read(const json::Value& value) {
  const json::Blob blob = value.ToBlob();
  return DecodeAs<T>(blob.view());
}

constexpr std::string_view kSpec = R"(
annotations: {team: inference}
labels: {tier: gold}
priorityClassName: high
components:
- name: Frontend
  type: frontend
  replicas: 2
  podTemplate:
    spec:
      containers:
      - name: main
- name: decode
  type: decode
  globalDynamoNamespace: true
  podTemplate:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - {name: main, image: engine:1}
      - {name: front, image: front:1}
  replicas: 3
  minAvailable: 2
  multinode: {nodeCount: 4}
  sharedMemorySize: 16Gi
  modelRef: {name: llama, revision: v2}
  scalingAdapter: {}
  frontendSidecar: front
  compilationCache: {pvcName: cache, mountPath: /cache}
  topologyConstraint: {packDomain: rack}
  experimental:
    gpuMemoryService:
      mode: IntraPod
      deviceClassName: gpu.example.com
      extraClientContainers: [front]
      checkpoint:
        loader:
          image: loader:1
          command: [/bin/load, --fast]
          envs: [{name: B, value: $(A)}, {name: A, value: x}]
          envFromSecret: keys
          volumeMounts: [{name: scratch, mountPath: /scratch}]
        saver: {}
    failover: {mode: IntraPod, numShadows: 1}
    checkpoint:
      enabled: true
      startupPolicy: WaitForCheckpoint
      deletionPolicy: Retain
      identity:
        model: llama
        backendFramework: vllm
        tensorParallelSize: 8
        pipelineParallelSize: 1
        maxModelLen: 8192
        extraParameters: {quantization: awq}
      targetContainerName: main
      job:
        gmsClientContainers: [saver]
        podTemplate: {spec: {containers: [{name: saver, image: saver:1}]}}
env: [{name: HF_HOME, value: /models}]
backendFramework: vllm
restart: {id: now, strategy: {type: Parallel, order: [decode, Frontend]}}
topologyConstraint: {clusterTopologyName: racks, packDomain: zone}
experimental:
  kvTransferPolicy: {labelKey: topology.kubernetes.io/zone, domain: zone, enforcement: preferred, preferredWeight: 0.5}
)";

TEST(GraphDeployment, EveryFieldIsReadAndWrittenBack) {
  const json::Value written = Yaml(kSpec);
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<GraphDeploymentSpec>(written));
  EXPECT_EQ(Encoded(spec).WriteCanonical(), written.WriteCanonical());
}

TEST(GraphDeployment, FieldsArriveWhereTheyBelong) {
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<GraphDeploymentSpec>(Yaml(kSpec)));
  EXPECT_EQ(spec.backend_framework, BackendFramework::kVllm);
  EXPECT_EQ(spec.restart->strategy->type, RestartOrder::kParallel);
  ASSERT_THAT(spec.components, SizeIs(2));
  const ComponentSpec& decode = spec.components[1];
  EXPECT_EQ(decode.type, ComponentType::kDecode);
  EXPECT_EQ(decode.multinode->node_count, 4);
  EXPECT_EQ(decode.shared_memory_size, json::Value("16Gi"));
  EXPECT_TRUE(decode.scaling_adapter.has_value());
  const GmsLoader& loader = *decode.experimental->gpu_memory_service->checkpoint->loader;
  EXPECT_EQ(loader.command, (std::vector<std::string>{"/bin/load", "--fast"}));
  EXPECT_EQ(loader.envs[0].Find("name")->string(), "B") << "order is the user's";
  EXPECT_TRUE(decode.experimental->gpu_memory_service->checkpoint->saver.has_value());
  EXPECT_EQ(decode.experimental->checkpoint->startup_policy,
            CheckpointStartupPolicy::kWaitForCheckpoint);
}

TEST(GraphDeployment, AbsentBlocksStayAbsentAndEmptyOnesHaveDefaults) {
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<GraphDeploymentSpec>(
                                            Yaml("components: [{name: a}, {name: b, experimental: "
                                                 "{gpuMemoryService: {}, failover: {}}}]")));
  EXPECT_FALSE(spec.components[0].experimental.has_value());
  EXPECT_FALSE(spec.components[0].replicas.has_value());
  EXPECT_TRUE(spec.components[0].pod_template.IsNull());
  const ComponentExperimental& features = *spec.components[1].experimental;
  EXPECT_EQ(features.gpu_memory_service->device_class_name, "gpu.nvidia.com");
  EXPECT_FALSE(features.gpu_memory_service->checkpoint.has_value());
  EXPECT_EQ(features.failover->num_shadows, 1);
}

TEST(GraphDeployment, StatusIsReadAndWrittenBack) {
  const json::Value written = Yaml(R"(
observedGeneration: 7
state: successful
conditions:
- {type: Ready, status: "True", reason: all_resources_are_ready, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}
components:
  decode: {componentKind: PodCliqueScalingGroup, componentNames: [g-0-decode], runtimeNamespace: ns-g, replicas: 0, updatedReplicas: 0, availableReplicas: 0}
restart: {observedID: now, phase: Restarting, inProgress: [decode]}
checkpoints:
  decode: {checkpointName: c, checkpointID: "12", identityHash: "12", ready: true}
rollingUpdate: {phase: InProgress, startTime: "2026-01-01T00:00:00Z", updatedComponents: [decode]}
startup: {restored: 3, cold: 0}
)");
  ASSERT_OK_AND_ASSIGN(const auto status, Read<GraphDeploymentStatus>(written));
  EXPECT_EQ(Encoded(status).WriteCanonical(), written.WriteCanonical());
}

TEST(ComponentDeployment, HasTheFieldsOfAComponentAtTheTop) {
  const json::Value written = Yaml(R"(
backendFramework: trtllm
name: prefill
type: prefill
replicas: 0
experimental: {checkpoint: {enabled: false, startupPolicy: Immediate, deletionPolicy: Delete, targetContainerName: main}}
)");
  ASSERT_OK_AND_ASSIGN(const auto spec, Read<ComponentDeploymentSpec>(written));
  EXPECT_EQ(spec.backend_framework, BackendFramework::kTrtllm);
  EXPECT_EQ(spec.name, "prefill");
  EXPECT_EQ(spec.replicas, 0);
  EXPECT_EQ(Encoded(spec).WriteCanonical(), written.WriteCanonical());
}

TEST(GraphDeployment, ErrorsNameTheField) {
  EXPECT_EQ(Read<GraphDeploymentSpec>(
                Yaml("components: [{name: a, experimental: {failover: {mode: intraPod}}}]"))
                .status()
                .message(),
            R"(components[0].experimental.failover.mode is "intraPod", expected one of IntraPod, )"
            "InterPod");
}

}  // namespace
}  // namespace hearth::api::dynamo
