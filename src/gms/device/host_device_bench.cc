#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "base/check.h"
#include "gms/device/host_device.h"

// What host memory costs to make, to touch for the first time and to attach, by kind of page.
namespace hearth::gms {
namespace {

constexpr uint64_t kStep = 2ULL << 20;
constexpr uint64_t kBudget = 8ULL << 30;
constexpr uint64_t kPage = 4096;

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in this interface
char* At(uintptr_t address) { return reinterpret_cast<char*>(address); }

void RaiseDescriptorLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::unique_ptr<Device> Open(benchmark::State& state, HostPages pages) {
  RaiseDescriptorLimit();
  auto device = OpenHostDevice({.budget_bytes = kBudget, .pages = pages});
  if (!device.ok()) {
    state.SkipWithError(device.status().ToString().c_str());
    return nullptr;
  }
  return std::move(*device);
}

void BM_CreateAndRelease(benchmark::State& state) {
  auto device = Open(state, HostPages::kSmall);
  for (auto _ : state) {
    device->Release(device->Create(kStep).value());
  }
}
BENCHMARK(BM_CreateAndRelease);

void BM_ExportToAReader(benchmark::State& state) {
  auto device = Open(state, HostPages::kSmall);
  Device::Handle piece = device->Create(kStep).value();
  if (state.range(0) != 0) {
    CHECK(device->Seal(piece).ok());
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(device->Export(piece, Access::kRead));
  }
}
BENCHMARK(BM_ExportToAReader)->ArgName("sealed")->Arg(0)->Arg(1);

// One piece of 64 MiB, made, mapped and written once in every page.
void BM_FirstTouch(benchmark::State& state) {
  auto device = Open(state, static_cast<HostPages>(state.range(0)));
  constexpr uint64_t kSize = 32 * kStep;
  if (device == nullptr) {
    return;
  }
  auto space = OpenHostAddressSpace(device->facts());
  uintptr_t address = space->Reserve(kSize, kStep).value();
  for (auto _ : state) {
    auto piece = device->Create(kSize);
    if (!piece.ok()) {
      state.SkipWithError(piece.status().ToString().c_str());
      return;
    }
    UniqueFd fd = device->Export(*piece, Access::kReadWrite).value();
    CHECK(space->Map(address, kSize, std::move(fd), Access::kReadWrite).ok());
    for (uint64_t at = 0; at < kSize; at += kPage) {
      *At(address + at) = 1;
    }
    state.PauseTiming();
    CHECK(space->Unmap(address, kSize).ok());
    device->Release(*piece);
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kSize));
}
// 0: 4 KiB. 1: transparent, where the kernel's setting allows it. 2: huge pages, where some are
// set aside.
BENCHMARK(BM_FirstTouch)->ArgName("pages")->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// As many pieces as a big model has, mapped into one reservation and unmapped at once.
void BM_AttachAndSleep(benchmark::State& state) {
  auto device = Open(state, HostPages::kSmall);
  auto count = static_cast<uint64_t>(state.range(0));
  std::vector<Device::Handle> pieces;
  for (uint64_t i = 0; i < count; ++i) {
    auto piece = device->Create(kStep);
    if (!piece.ok() || !device->Seal(*piece).ok()) {
      state.SkipWithError(piece.status().ToString().c_str());
      return;
    }
    pieces.push_back(*piece);
  }
  auto space = OpenHostAddressSpace(device->facts());
  uintptr_t base = space->Reserve(count * kStep, kStep).value();
  for (auto _ : state) {
    for (uint64_t i = 0; i < count; ++i) {
      UniqueFd fd = device->Export(pieces[i], Access::kRead).value();
      CHECK(space->Map(base + i * kStep, kStep, std::move(fd), Access::kRead).ok());
    }
    CHECK(space->Unmap(base, count * kStep).ok());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
}
BENCHMARK(BM_AttachAndSleep)->ArgName("pieces")->Arg(59)->Arg(3435)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hearth::gms
