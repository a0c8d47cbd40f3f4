#include <benchmark/benchmark.h>

#include <string>

#include "json/equal.h"
#include "json/value.h"

namespace hearth::json {
namespace {

// A Pod with some containers, its lists and members in this or the other order.
std::string Pod(bool reversed) {
  Value containers = Value::Array();
  for (int i = 0; i < 4; ++i) {
    const std::string name = "c" + std::to_string(reversed ? 3 - i : i);
    Value env = Value::Array();
    for (int j = 0; j < 10; ++j) {
      env.Append(
          Value::Object({{"name", "E" + std::to_string(reversed ? 9 - j : j)}, {"value", name}}));
    }
    const Value limits = Value::Object({{"cpu", reversed ? "1" : "1000m"}, {"memory", "4Gi"}});
    containers.Append(Value::Object({{"name", name},
                                     {"image", "app:v1"},
                                     {"env", env},
                                     {"resources", Value::Object({{"limits", limits}})}}));
  }
  Value::Members members = {{"metadata", Value::Object({{"name", "pod"}, {"namespace", "ns"}})},
                            {"spec", Value::Object({{"containers", containers}})}};
  if (reversed) {
    std::swap(members[0], members[1]);
  }
  return Value::FromMembers(std::move(members)).Write();
}

void BM_EqualRespelledPod(benchmark::State& state) {
  const std::string a = Pod(false);
  const std::string b = Pod(true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Equal(View::Trusted(a), View::Trusted(b), Sameness::Kubernetes()));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * a.size()));
}
BENCHMARK(BM_EqualRespelledPod);

void BM_CoversPod(benchmark::State& state) {
  const std::string a = Pod(false);
  const std::string b = Pod(true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Covers(View::Trusted(a), View::Trusted(b), Sameness::Kubernetes()));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * a.size()));
}
BENCHMARK(BM_CoversPod);

void BM_HashPod(benchmark::State& state) {
  const std::string a = Pod(false);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Hash(View::Trusted(a), Sameness::Kubernetes()));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * a.size()));
}
BENCHMARK(BM_HashPod);

}  // namespace
}  // namespace hearth::json
