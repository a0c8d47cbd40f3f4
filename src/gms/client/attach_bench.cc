#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <deque>
#include <memory>
#include <thread>

#include "base/check.h"
#include "gms/client/memory_manager.h"
#include "gms/client/session.h"
#include "gms/device/host_device.h"
#include "gms/protocol/fd_channel.h"
#include "gms/server/testing/server_rig.h"

// Attaching a layout of as many allocations as a large model has, beside a loop that does only what
// the kernel must: receive descriptors, 253 at a time, map each, close it.
namespace hearth::gms {
namespace {

constexpr size_t kAllocations = 3435;
constexpr uint64_t kBytes = 4096;

// The server holds a descriptor per allocation.
void RaiseFileLimit() {
  rlimit limit{};
  CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  CHECK(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

server::ServerRig& Server() {
  static auto* const rig = [] {
    RaiseFileLimit();
    server::ServerRig::Setup setup;
    setup.open = [](int ordinal) {
      return server::ServerRig::HostDevice(ordinal, 2 * kAllocations * kBytes);
    };
    auto* const made = new server::ServerRig(std::move(setup));
    auto writer = Session::Connect({.socket = made->Path(), .lease = LeaseRequest::kRw});
    CHECK(writer.ok());
    const std::vector<AllocationItem> items(kAllocations, {.size = kBytes, .tag = "weights"});
    CHECK((*writer)->AllocateBatch(items, false).ok());
    CHECK((*writer)->Commit(false).ok());
    return made;
  }();
  return *rig;
}

void AttachLayout(benchmark::State& state) {
  const std::string path = Server().Path();
  const auto space = OpenHostAddressSpace({.granularity = kBytes});
  for ([[maybe_unused]] auto turn : state) {
    MemoryManagerOptions options;
    options.connect.socket = path;
    MemoryManager manager(*space, options);
    CHECK(manager.Connect(LeaseRequest::kRo).ok());
    const auto layout = manager.OpenLayout();
    CHECK(layout.ok() && layout->mappings.size() == kAllocations);
    state.PauseTiming();
    CHECK(manager.Close().ok());
    state.ResumeTiming();
  }
}
BENCHMARK(AttachLayout)->Unit(benchmark::kMillisecond)->UseRealTime();

void BareLoop(benchmark::State& state) {
  auto session = Session::Connect({.socket = Server().Path()});
  CHECK(session.ok());
  const auto layout = (*session)->OpenLayout();
  CHECK(layout.ok());
  for ([[maybe_unused]] auto turn : state) {
    int ends[2];
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const UniqueFd here(ends[0]);
    std::jthread sender([&layout, there = std::make_shared<UniqueFd>(ends[1])] {
      const std::span<const UniqueFd> fds(layout->fds);
      for (size_t i = 0; i < fds.size();) {
        const auto part = fds.subspan(i, std::min(kMaxFds, fds.size() - i));
        const auto sent = SendSome(there->get(), "x", part);
        CHECK(sent.ok());
        i += sent->would_block ? 0 : part.size();
      }
    });
    char* const range =
        static_cast<char*>(::mmap(nullptr, kAllocations * kBytes, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (size_t mapped = 0; mapped < kAllocations;) {
      std::deque<UniqueFd> fds;
      char byte = 0;
      CHECK(ReceiveSome(here.get(), {&byte, 1}, fds).ok());
      for (const UniqueFd& fd : fds) {
        CHECK(::mmap(range + mapped++ * kBytes, kBytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd.get(),
                     0) != MAP_FAILED);
      }
    }
    state.PauseTiming();
    sender.join();
    ::munmap(range, kAllocations * kBytes);
    state.ResumeTiming();
  }
}
BENCHMARK(BareLoop)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hearth::gms
