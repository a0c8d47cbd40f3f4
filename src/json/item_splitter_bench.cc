#include <benchmark/benchmark.h>

#include <string_view>

#include "base/check.h"
#include "json/item_splitter.h"
#include "json/testing/sample_pod.h"

namespace hearth::json {
namespace {

// A list of pods that arrives in pieces of range(0) bytes.
void BM_SplitPodList(benchmark::State& state) {
  const std::string list = SamplePod::ListText(100);
  const auto piece = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    size_t items = 0;
    ItemSplitter splitter([&](std::string_view, size_t) {
      ++items;
      return Status::Ok();
    });
    for (std::string_view rest = list; !rest.empty();
         rest.remove_prefix(std::min(piece, rest.size()))) {
      const Status fed = splitter.Feed(rest.substr(0, piece));
      CHECK(fed.ok()) << fed.ToString();
    }
    CHECK(splitter.Finish().ok() && items == 100);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(list.size()));
}
BENCHMARK(BM_SplitPodList)->Arg(4096)->Arg(16384)->Arg(1 << 20);

}  // namespace
}  // namespace hearth::json
