#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "http/client.h"
#include "http/internal/client_connection.h"
#include "http/internal/exchange.h"
#include "net/internal/connector.h"

namespace hearth::http {

// The connections of one client and the requests that wait for one. Lives on the loop; the methods
// marked so may be called from anywhere. Held by the client and by work posted to the loop.
class ClientPool : public std::enable_shared_from_this<ClientPool>, public ClientConnection::Owner {
 public:
  ClientPool(net::EventLoop& loop, const net::Endpoint& endpoint,
             std::shared_ptr<net::TlsContext> tls, const ClientOptions& options);

  // Thread-safe; each takes effect on the loop, in order.
  void Submit(std::shared_ptr<Exchange> exchange);
  void Fail(std::shared_ptr<Exchange> exchange, Status status);
  void Resume(std::shared_ptr<Exchange> exchange);
  void DropIdle();
  Client::Stats stats() const;
  net::EventLoop& loop() const { return loop_; }
  const net::Endpoint& endpoint() const { return endpoint_; }
  const ClientOptions& options() const { return options_; }

  // Ends everything. On the loop.
  void Shutdown();

 private:
  void Enqueue(const std::shared_ptr<Exchange>& exchange);
  void End(const std::shared_ptr<Exchange>& exchange, const Status& status);
  // Gives waiting requests the connections there are, and opens those that are missing.
  void Pump();
  std::shared_ptr<ClientConnection> TakeIdle();
  bool MayConnect() const;
  void Connect();
  void OnConnected(uint64_t id, uint64_t generation,
                   Result<std::unique_ptr<net::Transport>> transport);
  void WatchLimits(const std::shared_ptr<Exchange>& exchange);
  void OnTimer(const std::shared_ptr<Exchange>& exchange);
  void WatchIdle();
  void CloseOldIdle();
  void DropIdleNow();

  void OnIdle(ClientConnection& connection) override;
  void OnClosed(ClientConnection& connection) override;
  void OnRetry(std::shared_ptr<Exchange> exchange) override;
  void OnSignOfLife(bool proven) override;
  bool GivesSignsOfLife() const override { return gives_signs_of_life_; }
  void OnHungUpWhenAsked() override { may_be_asked_ = has_given_signs_of_life_; }
  bool MayBeAsked() const override { return may_be_asked_; }
  void OnNoSignOfLife() override;

  net::EventLoop& loop_;
  const net::Endpoint endpoint_;
  const std::shared_ptr<net::TlsContext> tls_;
  const ClientOptions options_;
  bool closed_ = false;
  // Raised when certificates change: older connections are not used again.
  uint64_t generation_ = 0;
  bool gives_signs_of_life_ = false;      // the server, on any connection
  bool has_given_signs_of_life_ = false;  // at any time
  bool may_be_asked_ = true;
  std::deque<std::shared_ptr<Exchange>> waiting_;
  std::vector<std::shared_ptr<ClientConnection>> idle_;  // the longest idle first
  std::unordered_set<std::shared_ptr<ClientConnection>> open_;
  std::vector<std::pair<uint64_t, std::shared_ptr<net::Connector>>> connecting_;
  uint64_t next_connecting_id_ = 0;
  std::unique_ptr<net::EventLoop::Timer> idle_timer_;

  std::atomic<uint64_t> connections_opened_{0};
  std::atomic<uint64_t> requests_sent_{0};
  std::atomic<uint64_t> signs_of_life_{0};
  std::atomic<int> open_connections_{0};
};

}  // namespace hearth::http
