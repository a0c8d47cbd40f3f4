#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/internal/address.h"
#include "net/internal/transport.h"
#include "net/tls.h"

namespace hearth::net {

struct ConnectOptions {
  Duration timeout = std::chrono::seconds(10);            // name look-up, TCP and TLS together
  Duration dead_peer_timeout = std::chrono::seconds(10);  // see DetectDeadPeer
};

// One try to reach an endpoint: look up the name, try its addresses one after the other, shake
// hands. Used on the loop only.
class Connector : public std::enable_shared_from_this<Connector> {
 public:
  using Done = std::function<void(Result<std::unique_ptr<Transport>>)>;

  // `tls` null for plain text. `done` is called exactly once, never from inside Start, unless
  // cancelled.
  static std::shared_ptr<Connector> Start(EventLoop& loop, const Endpoint& endpoint,
                                          std::shared_ptr<TlsContext> tls,
                                          const ConnectOptions& options, Done done);
  // `done` will not be called any more.
  void Cancel();

 private:
  struct Resolver;

  Connector(EventLoop& loop, const Endpoint& endpoint, std::shared_ptr<TlsContext> tls,
            const ConnectOptions& options, Done done);

  void Begin();
  void LookUp();
  void TryNextAddress();
  void ConnectTo(const Address& address);
  void RetryBusySocket();
  void AwaitConnected();
  void OnConnected();
  void AddressFailed(Status status);
  void ShakeHands();
  void ArmTimer(Duration delay, void (Connector::*then)());
  Duration TimeForNextAddress() const;
  void OnAddressTimeout();
  void Finish(Result<std::unique_ptr<Transport>> result);

  EventLoop& loop_;
  const Endpoint endpoint_;
  const std::shared_ptr<TlsContext> tls_;
  const ConnectOptions options_;
  Done done_;
  SteadyTime deadline_;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::unique_ptr<Resolver> resolver_;
  std::vector<Address> addresses_;
  size_t next_address_ = 0;
  asio::generic::stream_protocol::socket socket_;  // while TCP connects
  std::unique_ptr<Transport> transport_;           // while TLS shakes hands
  Status last_failure_;
  const char* stage_ = "looking up the name";
};

}  // namespace hearth::net
