#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "controller/work_queue.h"

namespace hearth::controller {
namespace {

std::vector<kube::ObjectKey> Keys(int64_t count) {
  std::vector<kube::ObjectKey> keys;
  for (int64_t i = 0; i < count; ++i) {
    keys.push_back({"production", "deployment-with-a-usual-name-" + std::to_string(i)});
  }
  return keys;
}

// One item is one Add, one Get and one Done; `depth` keys are waiting at most.
void Cycle(benchmark::State& state, Metrics* metrics) {
  WorkQueue queue(RealClock(), {.metrics = metrics, .name = "bench"});
  const std::vector<kube::ObjectKey> keys = Keys(state.range(0));
  kube::ObjectKey key;
  for (auto _ : state) {
    for (const kube::ObjectKey& added : keys) {
      queue.Add(added);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      queue.Get({}, key);
      queue.Done(key);
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_AddGetDone(benchmark::State& state) { Cycle(state, nullptr); }
BENCHMARK(BM_AddGetDone)->Arg(1)->Arg(100)->Arg(10000);

void BM_AddGetDoneWithMetrics(benchmark::State& state) {
  Metrics metrics;
  Cycle(state, &metrics);
}
BENCHMARK(BM_AddGetDoneWithMetrics)->Arg(100);

// What a storm of changes of a few objects costs.
void BM_AddAgain(benchmark::State& state) {
  WorkQueue queue(RealClock(), {});
  const std::vector<kube::ObjectKey> keys = Keys(1000);
  for (auto _ : state) {
    for (const kube::ObjectKey& key : keys) {
      queue.Add(key);
    }
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_AddAgain);

void BM_FailAndRetry(benchmark::State& state) {
  WorkQueue queue(RealClock(), {.retry = {.initial = Duration(1), .max = Duration(1)}});
  const std::vector<kube::ObjectKey> keys = Keys(100);
  kube::ObjectKey key;
  for (const kube::ObjectKey& added : keys) {
    queue.Add(added);
  }
  for (auto _ : state) {
    queue.Get({}, key);
    queue.AddFailed(key);
    queue.Done(key);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_FailAndRetry);

}  // namespace
}  // namespace hearth::controller
