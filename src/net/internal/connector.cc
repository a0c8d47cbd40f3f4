#include "net/internal/connector.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>

#include "net/internal/tls_context.h"

namespace hearth::net {

using asio::ip::tcp;

struct Connector::Resolver {
  explicit Resolver(asio::io_context& context) : resolver(context) {}
  tcp::resolver resolver;
};

namespace {

constexpr Duration kBusyRetry = std::chrono::milliseconds(5);

Address ToAddress(const tcp::endpoint& endpoint) {
  Address address;
  address.size = static_cast<socklen_t>(endpoint.size());
  std::memcpy(&address.storage, endpoint.data(), endpoint.size());
  return address;
}

int TakeSocketError(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

Status NotReached(int error) {
  // Everything that keeps us from a server may be over at the next try.
  return UnavailableError(std::string(Status::FromErrno(error, "no connection").message()));
}

}  // namespace

std::shared_ptr<Connector> Connector::Start(EventLoop& loop, const Endpoint& endpoint,
                                            std::shared_ptr<TlsContext> tls,
                                            const ConnectOptions& options, Done done) {
  std::shared_ptr<Connector> connector(
      new Connector(loop, endpoint, std::move(tls), options, std::move(done)));
  loop.Post([connector] { connector->Begin(); });
  return connector;
}

Connector::Connector(EventLoop& loop, const Endpoint& endpoint, std::shared_ptr<TlsContext> tls,
                     const ConnectOptions& options, Done done)
    : loop_(loop),
      endpoint_(endpoint),
      tls_(std::move(tls)),
      options_(options),
      done_(std::move(done)),
      deadline_(std::chrono::steady_clock::now() +
                std::min<Duration>(options.timeout, std::chrono::hours(24))),
      socket_(loop.impl().context()) {}

void Connector::Begin() {
  if (!done_) {
    return;  // cancelled before it began
  }
  if (endpoint_.IsUnix()) {
    Result<Address> address = UnixAddress(endpoint_.unix_path);
    if (!address.ok()) {
      Finish(std::move(address).status());
      return;
    }
    addresses_.push_back(*address);
  } else if (Address address = NumericAddress(endpoint_.host, endpoint_.port); address.size != 0) {
    addresses_.push_back(address);
  } else {
    LookUp();
    return;
  }
  TryNextAddress();
}

void Connector::LookUp() {
  resolver_ = std::make_unique<Resolver>(loop_.impl().context());
  ArmTimer(deadline_ - std::chrono::steady_clock::now(), &Connector::OnAddressTimeout);
  resolver_->resolver.async_resolve(
      endpoint_.host, std::to_string(endpoint_.port), tcp::resolver::numeric_service,
      [self = shared_from_this()](const ErrorCode& error,
                                  const tcp::resolver::results_type& found) {
        if (!self->done_) {
          return;
        }
        for (const auto& entry : found) {
          self->addresses_.push_back(ToAddress(entry.endpoint()));
        }
        self->last_failure_ = UnavailableError("the name has no address: " +
                                               (error ? error.message() : "none found"));
        self->TryNextAddress();
      });
}

// A dead address must not use up the time of those behind it.
Duration Connector::TimeForNextAddress() const {
  const Duration left = deadline_ - std::chrono::steady_clock::now();
  const auto candidates = static_cast<Duration::rep>(addresses_.size() - next_address_ + 1);
  return std::max<Duration>(left / candidates, Duration::zero());
}

void Connector::TryNextAddress() {
  if (next_address_ == addresses_.size()) {
    Finish(last_failure_);
    return;
  }
  ConnectTo(addresses_[next_address_++]);
}

void Connector::ConnectTo(const Address& address) {
  stage_ = "connecting";
  ArmTimer(TimeForNextAddress(), &Connector::OnAddressTimeout);
  UniqueFd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    AddressFailed(NotReached(errno));
    return;
  }
  if (address.family() != AF_UNIX) {
    DisableSendDelay(fd.get());
    DetectDeadPeer(fd.get(), options_.dead_peer_timeout);
  }
  const bool connected = ::connect(fd.get(), address.get(), address.size) == 0;
  const int error = connected ? 0 : errno;
  ErrorCode assign_error;
  socket_.assign(asio::generic::stream_protocol(AF_INET, 0), fd.get(), assign_error);
  if (assign_error) {
    AddressFailed(NotReached(assign_error.value()));
    return;
  }
  (void)fd.release();
  if (connected) {
    OnConnected();
  } else if (error == EINPROGRESS) {
    AwaitConnected();
  } else if (error == EAGAIN && std::chrono::steady_clock::now() < deadline_) {
    RetryBusySocket();
  } else {
    AddressFailed(NotReached(error));
  }
}

// A unix server's queue is full; such a socket does not wait by itself.
void Connector::RetryBusySocket() {
  ErrorCode ignored;
  socket_.close(ignored);
  --next_address_;
  ArmTimer(kBusyRetry, &Connector::TryNextAddress);
}

void Connector::AwaitConnected() {
  socket_.async_wait(asio::socket_base::wait_write,
                     [self = shared_from_this()](const ErrorCode& wait_error) {
                       if (!self->done_ || wait_error == asio::error::operation_aborted) {
                         return;
                       }
                       const int error = TakeSocketError(self->socket_.native_handle());
                       if (error != 0) {
                         self->AddressFailed(NotReached(error));
                       } else {
                         self->OnConnected();
                       }
                     });
}

void Connector::OnConnected() {
  // Taken out of Asio and put in again: otherwise its reactor keeps reporting writability for every
  // later wait to read.
  ErrorCode release_error;
  UniqueFd fd(socket_.release(release_error));
  SslPtr session;
  if (tls_ != nullptr) {
    Result<SslPtr> made = Openssl(*tls_).NewSession(endpoint_.host);
    if (!made.ok()) {
      Finish(std::move(made).status());
      return;
    }
    session = std::move(made).value();
  }
  stage_ = "TLS handshake";
  transport_ = std::make_unique<Transport>(loop_.impl(), std::move(fd), std::move(session));
  ShakeHands();
}

void Connector::ShakeHands() {
  IoResult result = transport_->Handshake();
  const auto again = [self = shared_from_this()](bool open) {
    if (open && self->done_) {
      self->ShakeHands();
    }
  };
  switch (result.code) {
    case IoCode::kOk:
      Finish(std::move(transport_));
      break;
    case IoCode::kWantRead:
      transport_->WaitReadable(again);
      break;
    case IoCode::kWantWrite:
      transport_->WaitWritable(again);
      break;
    case IoCode::kFailed:
      AddressFailed(std::move(result.status));
      break;
    default:
      AddressFailed(UnavailableError("the connection was closed during the TLS handshake"));
  }
}

void Connector::AddressFailed(Status status) {
  last_failure_ = std::move(status);
  ErrorCode ignored;
  socket_.close(ignored);
  if (transport_ != nullptr) {
    transport_->Close();
    // A wait of the handshake may still be under way; it must find the transport.
    loop_.Post([old = std::shared_ptr<Transport>(std::move(transport_))] {});
  }
  TryNextAddress();
}

void Connector::OnAddressTimeout() {
  AddressFailed(UnavailableError(fmt::format("no answer in time while {}", stage_)));
}

void Connector::ArmTimer(Duration delay, void (Connector::*then)()) {
  timer_ = loop_.After(delay, [weak = weak_from_this(), then] {
    const std::shared_ptr<Connector> self = weak.lock();
    if (self != nullptr && self->done_) {
      (self.get()->*then)();
    }
  });
}

void Connector::Cancel() {
  done_ = nullptr;
  timer_ = nullptr;
  resolver_ = nullptr;
  ErrorCode ignored;
  socket_.close(ignored);
  if (transport_ != nullptr) {
    transport_->Close();
  }
}

void Connector::Finish(Result<std::unique_ptr<Transport>> result) {
  const Done done = std::move(done_);
  Cancel();
  if (result.ok()) {
    done(std::move(result));
  } else {
    done(result.status().WithContext("connecting to " + endpoint_.ToString()));
  }
}

}  // namespace hearth::net
