#include <benchmark/benchmark.h>

#include "base/check.h"
#include "json/blob.h"
#include "json/projection.h"
#include "json/testing/sample_pod.h"

namespace hearth::json {
namespace {

// The last of `n` short members: all siblings are stepped over.
void BM_MemberAmongScalars(benchmark::State& state) {
  Value object = Value::Object();
  for (int i = 0; i < state.range(0); ++i) {
    object.Set("field" + std::to_string(i), "value" + std::to_string(i));
  }
  const Blob blob = object.ToBlob();
  const std::string last = "field" + std::to_string(state.range(0) - 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(blob.view()[last]);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MemberAmongScalars)->Arg(4)->Arg(16)->Arg(64);

void BM_TopMemberOfPod(benchmark::State& state) {
  const Blob pod = Blob::Trusted(SamplePod::Text());
  for (auto _ : state) {
    benchmark::DoNotOptimize(pod.view()["status"]);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(pod.text().size()));
}
BENCHMARK(BM_TopMemberOfPod);

void BM_ProjectionGet(benchmark::State& state) {
  using Pod = Projection<Field<"spec.nodeName", std::string_view>, Field<"spec.replicas", int64_t>>;
  const Blob pod = Blob::Trusted(
      R"({"metadata":{"name":"a","labels":{"app":"web"}},"spec":{"nodeName":"node-17","replicas":3},"status":{"phase":"Running"}})");
  for (auto _ : state) {
    benchmark::DoNotOptimize(Pod(pod.view()).get<"spec.nodeName">());
  }
}
BENCHMARK(BM_ProjectionGet);

void BM_WalkMembers(benchmark::State& state) {
  const Blob pod = Blob::Trusted(SamplePod::Text());
  const View spec = pod.view()["spec"];
  for (auto _ : state) {
    size_t members = 0;
    for (const auto& member : spec.members()) {
      members += member.value.exists() ? 1 : 0;
    }
    benchmark::DoNotOptimize(members);
  }
}
BENCHMARK(BM_WalkMembers);

void BM_ValueFromView(benchmark::State& state) {
  const Blob pod = Blob::Trusted(SamplePod::Text());
  for (auto _ : state) {
    benchmark::DoNotOptimize(Value(pod.view()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(pod.text().size()));
}
BENCHMARK(BM_ValueFromView);

}  // namespace
}  // namespace hearth::json
