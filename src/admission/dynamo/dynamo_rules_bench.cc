#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "admission/dynamo/dynamo_rules.h"
#include "base/check.h"
#include "json/yaml.h"

namespace hearth::admission {
namespace {

using json::Value;

constexpr const char* kComponent = R"(
name: worker
type: worker
replicas: 4
sharedMemorySize: 16Gi
frontendSidecar: front
podTemplate:
  metadata: {labels: {team: inference}, annotations: {note: none}}
  spec:
    serviceAccountName: worker
    nodeSelector: {gpu: h100}
    tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
    volumes: [{name: models, persistentVolumeClaim: {claimName: models}}, {name: tmp, emptyDir: {}}]
    initContainers: [{name: fetch, image: "fetch:1", command: [fetch, --all]}]
    containers:
    - name: main
      image: engine:1
      command: [/bin/sh, -c]
      args: ["cd /w && exec python3 -m dynamo.vllm --model /models/llama --tensor-parallel-size 8"]
      env: [{name: A, value: a}, {name: B, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
      volumeMounts: [{name: models, mountPath: /models}, {name: tmp, mountPath: /tmp}]
      resources: {limits: {nvidia.com/gpu: "8", memory: 512Gi}, requests: {cpu: "32"}}
      readinessProbe: {httpGet: {path: /health, port: 9090}, periodSeconds: 5}
    - {name: front, image: "front:1"}
    - {name: log, image: "log:1", args: [--follow]}
experimental:
  gpuMemoryService:
    mode: IntraPod
    deviceClassName: gpu.nvidia.com
    extraClientContainers: [log]
    checkpoint: {loader: {envs: [{name: X, value: y}], volumeMounts: [{name: tmp, mountPath: /x}]}, saver: {}}
  checkpoint: {enabled: true, startupPolicy: Immediate, targetContainerName: main}
)";

Value Read(const char* yaml) {
  auto value = json::ParseYamlDocument(yaml);
  CHECK(value.ok()) << value.status().ToString();
  return *value;
}

Value Graph(bool overlays) {
  Value graph = Read(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: n}, spec: {backendFramework: vllm, components: []}}");
  Value component = Read(kComponent);
  if (overlays) {
    component.MakePath("experimental.checkpoint.job.podTemplate.spec") =
        *component.FindPath("podTemplate.spec");
  }
  for (int i = 0; i < 25; ++i) {
    component.Set("name", "worker-" + std::to_string(i));
    graph.MakePath("spec.components").Append(component);
  }
  return graph;
}

// Of this thread alone: other work of the machine must not count.
double CpuMicros() {
  timespec now{};
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void Run(benchmark::State& state, const Value& given, const Request& request) {
  const KindRules& rules = DynamoRules().front();
  std::vector<double> micros;
  for (auto _ : state) {
    Value object = given;
    const double start = CpuMicros();
    rules.set_defaults(object, request);
    Findings findings;
    rules.validate(object, request, findings);
    micros.push_back(CpuMicros() - start);
    CHECK(findings.ok()) << findings.errors()[0].error.ToString();
  }
  std::sort(micros.begin(), micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["p99_us"] = micros[micros.size() * 99 / 100];
  state.counters["bytes"] = static_cast<double>(given.Write().size());
}

void BM_CreateGraph(benchmark::State& state) { Run(state, Graph(false), {}); }
BENCHMARK(BM_CreateGraph);

// Each with a template for its checkpoint Job as large as its own.
void BM_CreateGraphWithJobTemplates(benchmark::State& state) { Run(state, Graph(true), {}); }
BENCHMARK(BM_CreateGraphWithJobTemplates);

void BM_UpdateGraph(benchmark::State& state) {
  Value old = Graph(false);
  DynamoRules().front().set_defaults(old, {});
  Run(state, Graph(false), {.operation = Operation::kUpdate, .old = &old});
}
BENCHMARK(BM_UpdateGraph);

}  // namespace
}  // namespace hearth::admission
