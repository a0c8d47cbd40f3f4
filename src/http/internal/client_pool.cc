#include "http/internal/client_pool.h"

#include <algorithm>

namespace hearth::http {
namespace {

// By value: closing takes it out of the lists it is in.
void CloseIdle(
    std::shared_ptr<ClientConnection> connection) {  // NOLINT(performance-unnecessary-value-param)
  connection->Abort(Status::Ok());
}

// Tells callers that nothing was sent, so that even a request that must not happen twice may be
// tried again.
Status NotConnected(const Status& status) {
  return status.Is(Code::kUnavailable) ? status.WithReason("ConnectFailed") : status;
}

SteadyTime Now() { return std::chrono::steady_clock::now(); }

}  // namespace

ClientPool::ClientPool(net::EventLoop& loop, const net::Endpoint& endpoint,
                       std::shared_ptr<net::TlsContext> tls, const ClientOptions& options)
    : loop_(loop), endpoint_(endpoint), tls_(std::move(tls)), options_(options) {}

void ClientPool::Submit(std::shared_ptr<Exchange> exchange) {
  loop_.Post(
      [self = shared_from_this(), exchange = std::move(exchange)] { self->Enqueue(exchange); });
}

void ClientPool::Fail(std::shared_ptr<Exchange> exchange, Status status) {
  loop_.Post([self = shared_from_this(), exchange = std::move(exchange),
              status = std::move(status)] { self->End(exchange, status); });
}

void ClientPool::Resume(std::shared_ptr<Exchange> exchange) {
  loop_.Post([self = shared_from_this(), exchange = std::move(exchange)] {
    if (exchange->connection != nullptr && !exchange->paused()) {
      exchange->connection->Resume();
      self->WatchLimits(exchange);
    }
  });
}

void ClientPool::DropIdle() {
  loop_.Post([self = shared_from_this()] { self->DropIdleNow(); });
}

Client::Stats ClientPool::stats() const {
  return {connections_opened_, requests_sent_, open_connections_, signs_of_life_};
}

void ClientPool::Enqueue(const std::shared_ptr<Exchange>& exchange) {
  if (closed_ || exchange->cancelled()) {
    exchange->Finish(CancelledError("the client is gone"));
    return;
  }
  waiting_.push_back(exchange);
  WatchLimits(exchange);
  Pump();
}

void ClientPool::End(const std::shared_ptr<Exchange>& exchange, const Status& status) {
  if (exchange->connection != nullptr) {
    exchange->connection->Abort(status);
  } else {
    std::erase(waiting_, exchange);
    exchange->Finish(status);
  }
  Pump();
}

void ClientPool::Pump() {
  while (!waiting_.empty() && !closed_) {
    const std::shared_ptr<ClientConnection> connection =
        waiting_.front()->needs_new_connection ? nullptr : TakeIdle();
    if (connection == nullptr) {
      break;
    }
    std::shared_ptr<Exchange> exchange = std::move(waiting_.front());
    waiting_.pop_front();
    ++requests_sent_;
    connection->Begin(std::move(exchange));
  }
  while (!closed_ && connecting_.size() < waiting_.size() && MayConnect()) {
    Connect();
  }
}

std::shared_ptr<ClientConnection> ClientPool::TakeIdle() {
  if (idle_.empty()) {
    return nullptr;
  }
  // The one used last: the others get old and go.
  std::shared_ptr<ClientConnection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

// Watches stay for ever: counted, enough of them would leave no connection for anything else.
bool ClientPool::MayConnect() const {
  const auto passing = std::count_if(open_.begin(), open_.end(),
                                     [](const auto& connection) { return !connection->lasting(); });
  return static_cast<size_t>(passing) + connecting_.size() <
         static_cast<size_t>(std::max(1, options_.max_connections));
}

void ClientPool::Connect() {
  const uint64_t id = next_connecting_id_++;
  connecting_.emplace_back(
      id, net::Connector::Start(loop_, endpoint_, tls_,
                                {.timeout = options_.connect_timeout,
                                 .dead_peer_timeout = options_.dead_peer_timeout},
                                [this, id, generation = generation_](auto transport) {
                                  OnConnected(id, generation, std::move(transport));
                                }));
}

void ClientPool::OnConnected(uint64_t id, uint64_t generation,
                             Result<std::unique_ptr<net::Transport>> transport) {
  const auto self = shared_from_this();
  std::erase_if(connecting_, [&](const auto& entry) { return entry.first == id; });
  if (!transport.ok()) {
    // Each failed try answers for one of the requests that wait.
    if (!waiting_.empty()) {
      const std::shared_ptr<Exchange> exchange = waiting_.front();
      waiting_.pop_front();
      exchange->Finish(NotConnected(transport.status()));
    }
    Pump();
    return;
  }
  if (generation != generation_) {
    Pump();  // made with certificates that were replaced meanwhile
    return;
  }
  ++connections_opened_;
  ++open_connections_;
  const auto connection = std::make_shared<ClientConnection>(
      loop_, std::move(transport).value(), options_.max_head_bytes, generation, *this);
  open_.insert(connection);
  if (waiting_.empty()) {
    OnIdle(*connection);
    return;
  }
  std::shared_ptr<Exchange> exchange = std::move(waiting_.front());
  waiting_.pop_front();
  ++requests_sent_;
  connection->Begin(std::move(exchange));
  Pump();  // one that lasts leaves room for another
}

// One timer for all limits of an exchange, looked at again when it rings: arrivals do not touch it.
void ClientPool::WatchLimits(const std::shared_ptr<Exchange>& exchange) {
  const SteadyTime next = exchange->NextLimit();
  if (next == SteadyTime::max() || exchange->ended()) {
    return;
  }
  exchange->timer = loop_.After(
      next - Now(), [weak_self = weak_from_this(), weak = std::weak_ptr<Exchange>(exchange)] {
        const auto self = weak_self.lock();
        const auto exchange = weak.lock();
        if (self != nullptr && exchange != nullptr) {
          self->OnTimer(exchange);
        }
      });
}

void ClientPool::OnTimer(const std::shared_ptr<Exchange>& exchange) {
  const Status status = exchange->CheckLimits(Now());
  if (status.ok()) {
    WatchLimits(exchange);
  } else {
    if (exchange->connection != nullptr) {
      DropIdleNow();  // a server that hangs does so on all of them: whoever tries again needs a new
                      // one
    }
    End(exchange, status);
  }
}

void ClientPool::OnIdle(ClientConnection& connection) {
  if (connection.generation() != generation_) {
    CloseIdle(connection.shared_from_this());
  } else {
    idle_.push_back(connection.shared_from_this());
    connection.WatchIdle();
  }
  Pump();
  if (idle_.size() > static_cast<size_t>(std::max(0, options_.max_idle_connections))) {
    CloseIdle(idle_.front());
  }
  WatchIdle();
}

void ClientPool::OnClosed(ClientConnection& connection) {
  const auto shared = connection.shared_from_this();
  std::erase(idle_, shared);
  open_.erase(shared);
  --open_connections_;
  // Others may have waited for room. Not now: the caller is in the middle of something.
  if (!waiting_.empty()) {
    loop_.Post([self = shared_from_this()] { self->Pump(); });
  }
}

void ClientPool::OnRetry(std::shared_ptr<Exchange> exchange) {
  waiting_.push_front(std::move(exchange));
  Pump();
}

void ClientPool::OnSignOfLife(bool proven) {
  ++signs_of_life_;
  gives_signs_of_life_ = gives_signs_of_life_ || proven;
  has_given_signs_of_life_ = has_given_signs_of_life_ || proven;
}

// Behind the same address there may be another server now, one that lives and answers no such
// question: whoever comes next has to show again what it does.
void ClientPool::OnNoSignOfLife() {
  gives_signs_of_life_ = false;
  DropIdleNow();
}

void ClientPool::WatchIdle() {
  if (idle_.empty() || idle_timer_ != nullptr ||
      options_.idle_connection_timeout == Duration::max()) {
    return;
  }
  const Duration age = Now() - idle_.front()->idle_since();
  idle_timer_ = loop_.After(options_.idle_connection_timeout - age, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->idle_timer_ = nullptr;
      self->CloseOldIdle();
      self->WatchIdle();
    }
  });
}

void ClientPool::CloseOldIdle() {
  const SteadyTime now = Now();
  while (!idle_.empty() && now - idle_.front()->idle_since() >= options_.idle_connection_timeout) {
    CloseIdle(idle_.front());
  }
}

void ClientPool::DropIdleNow() {
  ++generation_;
  while (!idle_.empty()) {
    CloseIdle(idle_.front());
  }
}

void ClientPool::Shutdown() {
  closed_ = true;
  idle_timer_ = nullptr;
  for (const auto& [id, connector] : connecting_) {
    connector->Cancel();
  }
  connecting_.clear();
  const Status status = CancelledError("the client is gone");
  while (!waiting_.empty()) {
    const std::shared_ptr<Exchange> exchange = waiting_.front();
    waiting_.pop_front();
    exchange->Finish(status);
  }
  while (!open_.empty()) {
    const std::shared_ptr<ClientConnection> connection = *open_.begin();
    connection->Abort(status);
  }
}

}  // namespace hearth::http
