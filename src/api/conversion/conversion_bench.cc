// Conversion of two graphs: one as people write them, a frontend with prefill and decode workers;
// and one that is as full as they get, five components with everything a user can set on each,
// things among them that only v1alpha1 can say.
#include <benchmark/benchmark.h>

#include "api/conversion/convert.h"
#include "api/conversion/testing/full_graph.h"
#include "base/check.h"
#include "json/yaml.h"

namespace hearth::api::conversion {
namespace {

using json::Value;
using testing::FullGraph;

// As examples have it, with defaults filled in.
constexpr const char* kTypical = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: vllm-disagg
  namespace: inference
  annotations: {example.com/owner: serving}
spec:
  backendFramework: vllm
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer: {image: "registry.example.com/vllm-runtime:0.9"}
    VllmDecodeWorker: &worker
      componentType: worker
      subComponentType: decode
      replicas: 2
      envFromSecret: hf-token-secret
      resources: {limits: {gpu: "1"}}
      volumeMounts:
        - {name: models, mountPoint: /models, useAsCompilationCache: false}
      sharedMemory: {size: 16Gi}
      extraPodSpec:
        mainContainer:
          image: registry.example.com/vllm-runtime:0.9
          workingDir: /workspace/examples/backends/vllm
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-0.6B]
      gpuMemoryService: {enabled: true, mode: intraPod, deviceClassName: gpu.nvidia.com, checkpoint: {}}
      checkpoint: {enabled: true, startupPolicy: Immediate, deletionPolicy: Delete, targetContainerName: main}
    VllmPrefillWorker:
      <<: *worker
      subComponentType: prefill
)";

Value Parsed(const char* text) {
  auto value = json::ParseYamlDocument(text);
  CHECK(value.ok()) << value.status().ToString();
  return *std::move(value);
}

Value Converted(const Value& object, std::string_view version) {
  auto converted = Convert(object, version);
  CHECK(converted.ok()) << converted.status().ToString();
  return *std::move(converted);
}

void Run(benchmark::State& state, const Value& object, std::string_view version) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Convert(object, version));
  }
  state.counters["bytes"] = static_cast<double>(object.Write().size());
  const Value converted = Converted(object, version);
  const Value* saved = converted.FindPath("metadata.annotations")->Find("nvidia.com/dgd-spec");
  state.counters["saved"] = saved == nullptr ? 0 : static_cast<double>(saved->string().size());
}

// What no conversion can do without.
void BM_Copy(benchmark::State& state) {
  const Value object = FullGraph();
  for (auto _ : state) {
    Value copy = object;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_Copy)->Unit(benchmark::kMicrosecond);

void BM_TypicalToBeta(benchmark::State& state) { Run(state, Parsed(kTypical), "v1beta1"); }
BENCHMARK(BM_TypicalToBeta)->Unit(benchmark::kMicrosecond);

void BM_TypicalToAlpha(benchmark::State& state) {
  Run(state, Converted(Parsed(kTypical), "v1beta1"), "v1alpha1");
}
BENCHMARK(BM_TypicalToAlpha)->Unit(benchmark::kMicrosecond);

void BM_ToBeta(benchmark::State& state) { Run(state, FullGraph(), "v1beta1"); }
BENCHMARK(BM_ToBeta)->Unit(benchmark::kMicrosecond);

// With everything to be put back.
void BM_BackToAlpha(benchmark::State& state) {
  Run(state, Converted(FullGraph(), "v1beta1"), "v1alpha1");
}
BENCHMARK(BM_BackToAlpha)->Unit(benchmark::kMicrosecond);

// An object that was always v1beta1.
void BM_ToAlpha(benchmark::State& state) {
  Value graph = Converted(FullGraph(), "v1beta1");
  graph["metadata"]["annotations"].Erase("nvidia.com/dgd-spec");
  graph["metadata"]["annotations"].Erase("nvidia.com/dgd-status");
  Run(state, graph, "v1alpha1");
}
BENCHMARK(BM_ToAlpha)->Unit(benchmark::kMicrosecond);

// A variable was deleted that was saved: what can come back is found out piece by piece.
void BM_BackToAlphaAfterAnEdit(benchmark::State& state) {
  Value graph = Converted(FullGraph(), "v1beta1");
  Value& main =
      graph["spec"]["components"].items()[0]["podTemplate"]["spec"]["containers"].items()[0];
  main["env"].items().pop_back();
  Run(state, graph, "v1alpha1");
}
BENCHMARK(BM_BackToAlphaAfterAnEdit)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hearth::api::conversion
