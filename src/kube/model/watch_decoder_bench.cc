#include <benchmark/benchmark.h>

#include <string>

#include "kube/model/watch_decoder.h"

namespace hearth::kube {
namespace {

std::string Stream(int events, size_t object_bytes) {
  std::string text;
  for (int i = 0; i < events; ++i) {
    text += R"({"type":"MODIFIED","object":{"kind":"Pod","data":")";
    text.append(object_bytes, 'x');
    text += "\"}}\n";
  }
  return text;
}

// Pieces as a TLS record brings them.
void BM_WatchDecoder(benchmark::State& state) {
  const std::string text = Stream(100, state.range(0));
  const size_t piece = 16 << 10;
  for ([[maybe_unused]] auto _ : state) {
    size_t bytes = 0;
    WatchDecoder decoder([&](WatchEventType, std::string_view object, size_t) {
      bytes += object.size();
      return Status::Ok();
    });
    for (size_t at = 0; at < text.size(); at += piece) {
      const std::string_view part = std::string_view(text).substr(at, piece);
      benchmark::DoNotOptimize(decoder.Feed(part, text.size() - at));
    }
    benchmark::DoNotOptimize(bytes);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_WatchDecoder)->Arg(300)->Arg(6000);

}  // namespace
}  // namespace hearth::kube
