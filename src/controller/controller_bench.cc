#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "controller/controller.h"

namespace hearth::controller {
namespace {

// Nobody asks the server anything here.
class NoTransport : public kube::Transport {
 public:
  Result<http::Response> Send(http::Request, const WaitLimit&) override {
    return UnavailableError("no server");
  }
  std::unique_ptr<http::Stream> Start(http::Request, http::StreamHandler&,
                                      const http::StreamOptions&) override {
    return nullptr;
  }
  net::EventLoop& loop() override { return loop_; }

 private:
  net::EventLoop loop_{"bench"};
};

class Idle : public Reconciler {
 public:
  Result<Outcome> Reconcile(Pass&, const kube::ObjectKey&) override {
    passes_.fetch_add(1, std::memory_order_relaxed);
    return Outcome::Done();
  }
  int64_t passes() const { return passes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> passes_{0};
};

// What the runtime adds to a pass that does nothing: queue, log context, metrics, one worker.
void BM_EmptyPass(benchmark::State& state) {
  NoTransport transport;
  kube::Client client(transport, RealClock());
  EventRecorder events(client, RealClock(), {}, Logger::Null());
  WrittenGate gate(RealClock(), Logger::Null());
  Metrics metrics;
  Idle reconciler;
  Controller controller({.name = "bench", .workers = 1}, reconciler,
                        {client, RealClock(), events, gate, Logger::Null(), metrics});
  controller.Start();
  constexpr int64_t kBatch = 1000;
  for (auto _ : state) {
    const int64_t until = reconciler.passes() + kBatch;
    for (int64_t i = 0; i < kBatch; ++i) {
      controller.Enqueue({"production", "deployment-with-a-usual-name-" + std::to_string(i)});
    }
    while (reconciler.passes() < until) {
      std::this_thread::yield();
    }
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_EmptyPass)->UseRealTime();

}  // namespace
}  // namespace hearth::controller
