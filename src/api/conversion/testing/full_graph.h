#pragma once

#include "json/value.h"
#include "json/yaml.h"

// What conversion is timed with: a graph as full as they get, five components with everything a
// user can set on each, things among them that only v1alpha1 can say.
namespace hearth::api::conversion::testing {

inline constexpr const char* kFullGraphHead = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: llama
  namespace: inference
  uid: 5a2d8c0e-3f5f-4b1e-9a77-0a3f0c8f4d11
  labels: {team: serving, model: llama-3-70b}
  annotations: {nvidia.com/enable-metrics: "true", example.com/owner: serving}
spec:
  backendFramework: vllm
  labels: {cost-center: "4711"}
  envs:
    - {name: HF_HOME, value: /models}
    - {name: LOG_LEVEL, value: info}
  pvcs:
    - {name: models, create: true, size: 500Gi, storageClass: fast, volumeAccessMode: ReadWriteMany}
    - {name: cache, create: false}
  topologyConstraint: {topologyProfile: datacenter, packDomain: zone}
  services: {}
status:
  observedGeneration: 4
  state: successful
  conditions:
    - {type: Ready, status: "True", reason: AllReady, message: all components are ready,
       lastTransitionTime: "2026-01-02T03:04:05Z"}
  services: {}
)";

inline constexpr const char* kFullService = R"(
componentType: worker
subComponentType: decode
labels: {tier: gpu}
annotations: {example.com/note: hot}
ingress: {enabled: true, host: llama.example.com}
replicas: 4
minAvailable: 2
multinode: {nodeCount: 2}
envFromSecret: hf-token
envs:
  - {name: NCCL_DEBUG, value: WARN}
  - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
resources:
  requests: {cpu: "16", memory: 64Gi, gpu: "8"}
  limits: {cpu: "32", memory: 128Gi, gpu: "8", custom: {rdma/ib: "4"}}
volumeMounts:
  - {name: cache, mountPoint: /root/.cache, useAsCompilationCache: true}
  - {name: models, mountPoint: /models, useAsCompilationCache: false}
sharedMemory: {size: 64Gi}
readinessProbe:
  httpGet: {path: /health, port: 9090}
  periodSeconds: 10
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /live, port: 9090}
  periodSeconds: 5
extraPodMetadata:
  annotations: {prometheus.io/scrape: "true"}
  labels: {app: llama}
extraPodSpec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  tolerations:
    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  terminationGracePeriodSeconds: 600
  imagePullSecrets: [{name: registry}]
  volumes:
    - {name: scratch, emptyDir: {sizeLimit: 100Gi}}
  containers:
    - name: exporter
      image: registry.example.com/exporter:1.4
      args: [--port, "9400"]
      ports: [{containerPort: 9400, name: metrics, protocol: TCP}]
      resources: {limits: {cpu: 100m, memory: 64Mi}}
  mainContainer:
    image: registry.example.com/vllm-runtime:0.9
    workingDir: /workspace
    command: [python3, -m, dynamo.vllm]
    args: [--model, meta-llama/Llama-3-70B, --tensor-parallel-size, "8", --enable-expert-parallel]
    env:
      - {name: VLLM_USE_V1, value: "1"}
    volumeMounts:
      - {name: scratch, mountPath: /scratch}
    securityContext: {capabilities: {add: [IPC_LOCK]}}
modelRef: {name: meta-llama/Llama-3-70B}
gpuMemoryService: {enabled: true, mode: intraPod, deviceClassName: gpu.nvidia.com, checkpoint: {}}
failover: {enabled: false, mode: intraPod, numShadows: 1}
checkpoint: {enabled: true, startupPolicy: Immediate, deletionPolicy: Delete, targetContainerName: main}
topologyConstraint: {packDomain: rack}
)";

inline json::Value FullGraph() {
  const auto parsed = [](const char* text) { return json::ParseYamlDocument(text).value(); };
  json::Value graph = parsed(kFullGraphHead);
  for (const char* name : {"decode", "frontend", "planner", "prefill", "router"}) {
    graph["spec"]["services"].Set(name, parsed(kFullService));
    graph["status"]["services"].Set(
        name, parsed("{componentKind: PodCliqueScalingGroup, componentName: llama-0-x, "
                     "componentNames: [llama-0-x], replicas: 4, updatedReplicas: 4}"));
  }
  return graph;
}

}  // namespace hearth::api::conversion::testing
