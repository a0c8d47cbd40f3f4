// What one request costs inside the core, and that nothing grows faster than what is in a layout:
// the larger run of each pair does ten times the work of the smaller.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "gms/core/domain.h"

namespace hearth::gms {
namespace {

constexpr SessionId kWriter{1};

std::vector<std::string> Ids(int64_t count) {
  std::vector<std::string> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back("allocation-00000000-0000-4000-8000-" + std::to_string(i));
  }
  return ids;
}

// A writer in a domain with that many allocations and three times as many keys.
void Fill(Domain& domain, const std::vector<std::string>& ids) {
  domain.Request(kWriter, LeaseRequest::kRw, {});
  MemoryHandle memory = 1;
  for (const std::string& id : ids) {
    benchmark::DoNotOptimize(domain.Allocate(kWriter, id, 4096, 4096, "weights", memory++).ok());
  }
  for (size_t i = 0; i < 3 * ids.size(); ++i) {
    (void)domain.Put(kWriter, "model.layers." + std::to_string(i) + ".weight",
                     {ids[i % ids.size()], i % 4096, "{\"dtype\":\"torch.float16\"}"});
  }
}

void BM_BuildAndCommit(benchmark::State& state) {
  const auto ids = Ids(state.range(0));
  for (auto _ : state) {
    Domain domain;
    Fill(domain, ids);
    benchmark::DoNotOptimize(domain.Commit(kWriter, true).ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_BuildAndCommit)->Arg(343)->Arg(3435)->Unit(benchmark::kMillisecond);

// Each takes its keys along.
void BM_FreeAll(benchmark::State& state) {
  const auto ids = Ids(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Domain domain;
    Fill(domain, ids);
    state.ResumeTiming();
    for (const std::string& id : ids) {
      benchmark::DoNotOptimize(domain.Free(kWriter, id).ok());
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_FreeAll)->Arg(343)->Arg(3435)->Unit(benchmark::kMillisecond);

void BM_FindAllocation(benchmark::State& state) {
  const auto ids = Ids(3435);
  Domain domain;
  Fill(domain, ids);
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize((*domain.LayoutOf(kWriter))->Find(ids[i++ * 7 % ids.size()]));
  }
}
BENCHMARK(BM_FindAllocation);

void BM_AllocateAndFree(benchmark::State& state) {
  const auto ids = Ids(3435);
  Domain domain;
  Fill(domain, ids);
  for (auto _ : state) {
    (void)domain.MayAllocate(kWriter, "one-more");
    (void)domain.Allocate(kWriter, "one-more", 4096, 4096, "weights", 99999);
    (void)domain.Free(kWriter, "one-more");
    benchmark::DoNotOptimize(domain.TakeEffects());
  }
}
BENCHMARK(BM_AllocateAndFree);

void BM_ReaderInAndOut(benchmark::State& state) {
  Domain domain;
  Fill(domain, Ids(1));
  (void)domain.Commit(kWriter, false);
  uint64_t next = 2;
  for (auto _ : state) {
    const SessionId reader{next++};
    domain.Request(reader, LeaseRequest::kRo, {});
    domain.Leave(reader);
    benchmark::DoNotOptimize(domain.TakeEffects());
  }
}
BENCHMARK(BM_ReaderInAndOut);

}  // namespace
}  // namespace hearth::gms
