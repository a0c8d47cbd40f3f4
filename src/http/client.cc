#include "http/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "base/stop_waker.h"
#include "base/strings.h"
#include "http/internal/client_pool.h"
#include "http/internal/head_writer.h"
#include "net/internal/event_loop_impl.h"

namespace hearth::http {
namespace {

// PUT and DELETE are called idempotent, but only as long as nobody else writes: between two tries
// an object may have been made anew under the same name.
bool OnlyReads(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// How long the server may be silent before it is asked for a sign of life. Go's, and so the API
// server's, does not look at the connection before its handler takes the body, and the handler may
// come late: queues, checks of who asks. The API server gives up after a minute itself.
Duration PatienceWith(const Request& request, Duration dead_peer_timeout) {
  constexpr int kMoreWithBody = 4;
  if (request.body.empty()) {
    return dead_peer_timeout;
  }
  return dead_peer_timeout > Duration::max() / kMoreWithBody ? Duration::max()
                                                             : kMoreWithBody * dead_peer_timeout;
}

std::string LabelOf(const Request& request) {
  return request.method + " " + Excerpt(request.target, 200);
}

// Small bodies travel with the head: one write, one packet.
constexpr size_t kJoinedBody = 16 << 10;

Result<OutgoingRequest> ToWire(Request request, std::string_view host, bool accept_gzip) {
  OutgoingRequest outgoing;
  outgoing.undo_gzip = accept_gzip && !request.headers.Has("Accept-Encoding");
  ASSIGN_OR_RETURN(outgoing.head, WriteRequestHead(request, host, outgoing.undo_gzip));
  if (request.body.size() <= kJoinedBody) {
    outgoing.head += request.body;
  } else {
    outgoing.body = std::move(request.body);
  }
  return outgoing;
}

class PooledStream final : public Stream {
 public:
  PooledStream(std::shared_ptr<ClientPool> pool, std::shared_ptr<Exchange> exchange)
      : pool_(std::move(pool)), exchange_(std::move(exchange)) {}
  ~PooledStream() override {
    exchange_->Detach();
    TellPool();
  }

  void Cancel() override {
    exchange_->MarkCancelled();
    TellPool();
  }
  void Pause() override { exchange_->SetPaused(true); }
  void Resume() override {
    exchange_->SetPaused(false);
    if (!exchange_->ended()) {
      pool_->Resume(exchange_);
    }
  }

 private:
  // An exchange that has ended concerns nobody any more: client and loop may be gone by then.
  void TellPool() {
    if (!exchange_->ended()) {
      pool_->Fail(exchange_, CancelledError("cancelled"));
    }
  }

  const std::shared_ptr<ClientPool> pool_;
  const std::shared_ptr<Exchange> exchange_;
};

// Gathers an answer for a thread that waits for it.
class Collector final : public StreamHandler {
 public:
  Collector(std::string label, uint64_t max_body_bytes)
      : label_(std::move(label)), max_body_bytes_(max_body_bytes) {}

  void OnHead(Response head) override {
    std::lock_guard lock(mutex_);
    response_ = std::move(head);
    response_.body.reserve(ExpectedBody(response_.headers.Get("Content-Length")));
  }
  void OnData(std::string_view bytes, size_t /*capacity*/) override {
    std::lock_guard lock(mutex_);
    if (end_) {
      return;
    }
    if (bytes.size() > max_body_bytes_ - response_.body.size()) {
      EndWith(ExhaustedError(fmt::format("the answer is longer than {} bytes", max_body_bytes_)));
    } else {
      response_.body.append(bytes);
    }
  }
  void OnEnd(Status status) override {
    std::lock_guard lock(mutex_);
    EndWith(std::move(status));
  }

  Result<Response> Wait(const WaitLimit& limit) {
    const StopWaker waker(limit.stop, mutex_, ended_);
    std::unique_lock lock(mutex_);
    while (!end_) {
      RETURN_IF_ERROR(limit.Check(RealClock(), label_));
      RealClock().WaitUntil(lock, ended_, limit.deadline);
    }
    RETURN_IF_ERROR(*end_);
    return std::move(response_);
  }

 private:
  // A lie costs only address space.
  size_t ExpectedBody(std::string_view length) const {
    uint64_t value = 0;
    std::from_chars(length.data(), length.data() + length.size(), value);
    return std::min({value, max_body_bytes_, kMaxReserve});
  }
  void EndWith(Status status) {
    if (!end_) {
      end_ = std::move(status);
      ended_.notify_all();
    }
  }

  static constexpr uint64_t kMaxReserve = 64 << 20;
  const std::string label_;
  const uint64_t max_body_bytes_;
  std::mutex mutex_;
  std::condition_variable ended_;
  Response response_;
  std::optional<Status> end_;
};

}  // namespace

struct Client::Impl {
  std::shared_ptr<ClientPool> pool;
  Status misfit;  // why no request can be sent at all
};

Client::Client(net::EventLoop& loop, const net::Endpoint& endpoint,
               std::shared_ptr<net::TlsContext> tls, ClientOptions options)
    : impl_(std::make_shared<Impl>()) {
  if (endpoint.tls != (tls != nullptr)) {
    impl_->misfit =
        InvalidError(endpoint.ToString() + (endpoint.tls ? " needs TLS, and none is set up"
                                                         : " is plain text, but TLS is set up"));
  } else if (tls != nullptr && tls->options().server) {
    impl_->misfit = InvalidError("a client was given a server's TLS context");
  }
  impl_->pool = std::make_shared<ClientPool>(loop, endpoint, std::move(tls), options);
}

Client::~Client() {
  impl_->pool->loop().impl().RunAndWait([this] { impl_->pool->Shutdown(); });
}

std::unique_ptr<Stream> Client::Start(Request request, StreamHandler& handler,
                                      const StreamOptions& options) {
  std::string label = LabelOf(request);
  const bool is_head = request.method == "HEAD";
  const bool only_reads = OnlyReads(request.method);
  Result<OutgoingRequest> outgoing =
      ToWire(std::move(request), endpoint().HostHeader(), impl_->pool->options().accept_gzip);
  const Status refusal = impl_->misfit.ok() ? outgoing.status() : impl_->misfit;
  OutgoingRequest wire = std::move(outgoing).value_or(OutgoingRequest());
  wire.label = std::move(label);
  wire.is_head = is_head;
  wire.only_reads = only_reads;
  auto exchange = std::make_shared<Exchange>(std::move(wire), handler, options);
  if (refusal.ok()) {
    impl_->pool->Submit(exchange);
  } else {
    impl_->pool->Fail(exchange, refusal);
  }
  return std::make_unique<PooledStream>(impl_->pool, std::move(exchange));
}

Result<Response> Client::Send(Request request, const WaitLimit& limit) {
  CHECK(!impl_->pool->loop().OnLoopThread()) << "Send blocks, the loop must not";
  Collector collector(LabelOf(request), impl_->pool->options().max_body_bytes);
  const Duration patience = PatienceWith(request, impl_->pool->options().dead_peer_timeout);
  const std::unique_ptr<Stream> stream =
      Start(std::move(request), collector, {.ask_for_life_after = patience});
  return collector.Wait(limit);
}

void Client::DropIdleConnections() { impl_->pool->DropIdle(); }
Client::Stats Client::stats() const { return impl_->pool->stats(); }
const net::Endpoint& Client::endpoint() const { return impl_->pool->endpoint(); }

}  // namespace hearth::http
