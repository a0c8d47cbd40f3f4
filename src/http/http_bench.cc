// What an answer costs the client: a stream of bytes, small watch events one by one, whole
// requests. cpu_us is the time the client's loop thread worked for one unit, the server's work not
// counted.
#include <benchmark/benchmark.h>
#include <time.h>

#include <atomic>
#include <semaphore>
#include <string>

#include "base/check.h"
#include "http/client.h"
#include "http/internal/response_decoder.h"
#include "http/server.h"
#include "net/internal/event_loop_impl.h"

namespace hearth::http {
namespace {

constexpr size_t kEvent = 4096;

double LoopCpuSeconds(net::EventLoop& loop) {
  timespec time{};
  loop.impl().RunAndWait([&] { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); });
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Tls {
  std::shared_ptr<net::TlsContext> server;
  std::shared_ptr<net::TlsContext> client;
};

Tls MakeTls() {
  const auto pair = net::MakeCertificate({.ip_addresses = {"127.0.0.1"}}, RealClock()).value();
  return {net::TlsContext::Create(
              {.certificate_pem = pair.certificate_pem, .private_key_pem = pair.private_key_pem},
              {.server = true})
              .value(),
          net::TlsContext::Create({.ca_pem = pair.certificate_pem}, {}).value()};
}

// Counts what arrives and says when enough is there.
class Counter : public StreamHandler {
 public:
  void OnHead(Response /*head*/) override {}
  void OnData(std::string_view bytes, size_t /*capacity*/) override {
    seen_ += bytes.size();
    if (seen_ >= wanted_) {
      wanted_ = SIZE_MAX;
      reached_.release();
    }
  }
  void OnEnd(Status /*status*/) override {}

  void Expect(size_t more) {
    wanted_base_ += more;
    wanted_ = wanted_base_;
  }
  void Await() { reached_.acquire(); }

 private:
  size_t wanted_base_ = 0;
  std::atomic<size_t> seen_{0};
  std::atomic<size_t> wanted_{SIZE_MAX};
  std::binary_semaphore reached_{0};
};

// A server that writes pieces of an endless answer as it is told, and a client that receives them.
struct Watch {
  explicit Watch(bool with_tls) {
    const Tls tls = with_tls ? MakeTls() : Tls();
    ServerOptions options{.listen = {.tls = with_tls, .host = "127.0.0.1"}, .tls = tls.server};
    server = Server::StartStreaming(
                 server_loop, std::move(options),
                 [this](ServerRequest /*request*/, std::unique_ptr<ResponseWriter> given) {
                   writer = std::move(given);
                   CHECK(writer->Begin({.status = 200}).ok()) << "no client";
                   begun.release();
                 },
                 Logger::Null())
                 .value();
    client = std::make_unique<Client>(client_loop, server->endpoint(), tls.client);
    stream = client->Start({}, counter, {});
    begun.acquire();
  }
  void Write(std::string_view bytes) {
    CHECK(writer->Write(bytes, WaitLimit::Forever()).ok()) << "the client is gone";
  }

  net::EventLoop server_loop{"bench-server"};
  net::EventLoop client_loop{"bench-client"};
  std::binary_semaphore begun{0};
  std::unique_ptr<ResponseWriter> writer;
  std::unique_ptr<Server> server;
  Counter counter;
  std::unique_ptr<Client> client;
  std::unique_ptr<Stream> stream;
};

void BM_StreamBytes(benchmark::State& state) {
  constexpr size_t kPiece = 256 << 10;
  constexpr int kPieces = 256;
  Watch watch(state.range(0) != 0);
  const std::string piece(kPiece, 'x');
  const double before = LoopCpuSeconds(watch.client_loop);
  for (auto _ : state) {
    watch.counter.Expect(kPiece * kPieces);
    for (int i = 0; i < kPieces; ++i) {
      watch.Write(piece);
    }
    watch.counter.Await();
  }
  const double cpu = LoopCpuSeconds(watch.client_loop) - before;
  const auto bytes = static_cast<double>(state.iterations() * kPiece * kPieces);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kPiece) * kPieces);
  state.counters["client_GB_per_cpu_s"] = bytes / cpu * 1e-9;
}
BENCHMARK(BM_StreamBytes)->ArgName("tls")->Arg(0)->Arg(1)->UseRealTime();

// Each event arrives alone, as on a quiet watch: the dearest way.
void BM_SingleEvent(benchmark::State& state) {
  Watch watch(state.range(0) != 0);
  const std::string event(kEvent, 'x');
  const double before = LoopCpuSeconds(watch.client_loop);
  for (auto _ : state) {
    watch.counter.Expect(kEvent);
    watch.Write(event);
    watch.counter.Await();
  }
  const double cpu = LoopCpuSeconds(watch.client_loop) - before;
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(state.iterations());
}
BENCHMARK(BM_SingleEvent)->ArgName("tls")->Arg(0)->Arg(1)->UseRealTime();

// Events in a row, as on a busy watch.
void BM_EventBurst(benchmark::State& state) {
  constexpr int kBurst = 1000;
  Watch watch(state.range(0) != 0);
  const std::string event(kEvent, 'x');
  const double before = LoopCpuSeconds(watch.client_loop);
  for (auto _ : state) {
    watch.counter.Expect(kEvent * kBurst);
    for (int i = 0; i < kBurst; ++i) {
      watch.Write(event);
    }
    watch.counter.Await();
  }
  const double cpu = LoopCpuSeconds(watch.client_loop) - before;
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(state.iterations() * kBurst);
}
BENCHMARK(BM_EventBurst)->ArgName("tls")->Arg(0)->Arg(1)->UseRealTime();

void BM_Request(benchmark::State& state) {
  const bool with_tls = state.range(0) != 0;
  const Tls tls = with_tls ? MakeTls() : Tls();
  net::EventLoop server_loop("bench-server");
  net::EventLoop client_loop("bench-client");
  const auto server =
      Server::Start(
          server_loop, {.listen = {.tls = with_tls, .host = "127.0.0.1"}, .tls = tls.server},
          [](const ServerRequest&) { return Response{.status = 200, .body = "{}"}; },
          Logger::Null())
          .value();
  Client client(client_loop, server->endpoint(), tls.client);
  for (auto _ : state) {
    CHECK(client.Send({}, WaitLimit::Forever()).ok()) << "no answer";
  }
  CHECK(client.stats().connections_opened == 1) << "the connection was not kept";
}
BENCHMARK(BM_Request)->ArgName("tls")->Arg(0)->Arg(1)->UseRealTime();

void BM_DecodeChunks(benchmark::State& state) {
  struct Sink : ResponseDecoder::Sink {
    void OnHead(Response /*head*/) override {}
    void OnBody(std::string_view bytes, size_t /*readable*/) override { total += bytes.size(); }
    size_t total = 0;
  } sink;
  ResponseDecoder decoder({}, sink);
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(decoder.Decode(head, head.size()).ok()) << "head";
  const std::string chunk = "1000\r\n" + std::string(kEvent, 'x') + "\r\n";
  for (auto _ : state) {
    CHECK(decoder.Decode(chunk, chunk.size()).ok()) << "chunk";
  }
  state.SetBytesProcessed(static_cast<int64_t>(sink.total));
}
BENCHMARK(BM_DecodeChunks);

}  // namespace
}  // namespace hearth::http
