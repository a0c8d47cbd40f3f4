#include <benchmark/benchmark.h>

#include <initializer_list>
#include <string_view>

#include "base/check.h"
#include "json/prune.h"
#include "json/testing/sample_pod.h"

namespace hearth::json {
namespace {

FieldSet Kept(std::initializer_list<std::string_view> paths) {
  FieldSet fields;
  for (const std::string_view path : paths) {
    const Status added = fields.Add(path, FieldSet::Mark::kKept);
    CHECK(added.ok()) << added.ToString();
  }
  return fields;
}

void RunPruner(benchmark::State& state, const FieldSet& fields) {
  const std::string pod = SamplePod::Text();
  Pruner pruner(fields);
  size_t kept = 0;
  for (auto _ : state) {
    auto output = pruner.Prune(pod);
    CHECK(output.ok()) << output.status().ToString();
    kept = output->json.size();
    benchmark::DoNotOptimize(output->hash);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(pod.size()));
  state.counters["source_bytes"] = static_cast<double>(pod.size());
  state.counters["kept_bytes"] = static_cast<double>(kept);
}

void BM_PruneToTenFields(benchmark::State& state) {
  RunPruner(state, Kept({"metadata.labels", "metadata.ownerReferences",
                         "metadata.deletionTimestamp", "spec.nodeName", "spec.schedulerName",
                         "spec.containers[].name", "spec.containers[].resources", "status.phase",
                         "status.podIP", "status.conditions"}));
}
BENCHMARK(BM_PruneToTenFields);

void BM_PruneManagedFields(benchmark::State& state) {
  FieldSet fields = FieldSet::Everything();
  const Status added = fields.Add("metadata.managedFields", FieldSet::Mark::kDropped);
  CHECK(added.ok()) << added.ToString();
  RunPruner(state, fields);
}
BENCHMARK(BM_PruneManagedFields);

void BM_PruneNothing(benchmark::State& state) { RunPruner(state, FieldSet::Everything()); }
BENCHMARK(BM_PruneNothing);

void BM_PruneAllButIdentity(benchmark::State& state) { RunPruner(state, FieldSet()); }
BENCHMARK(BM_PruneAllButIdentity);

void BM_Parse(benchmark::State& state) {
  const std::string pod = SamplePod::Text();
  for (auto _ : state) {
    auto blob = Parse(pod);
    CHECK(blob.ok()) << blob.status().ToString();
    benchmark::DoNotOptimize(blob->empty());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(pod.size()));
}
BENCHMARK(BM_Parse);

}  // namespace
}  // namespace hearth::json
