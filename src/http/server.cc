#include "http/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/stop_waker.h"
#include "http/internal/server_connection.h"
#include "http/internal/worker_pool.h"
#include "net/internal/listener.h"
#include "net/internal/tls_context.h"
#include "net/internal/transport.h"

namespace hearth::http {
namespace {

constexpr int kAcceptsPerTurn = 64;
// When the process is out of file descriptors.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
constexpr Duration kDeadClientTimeout = std::chrono::seconds(60);
constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

// One of the two is set.
struct AnyHandler {
  Handler plain;
  StreamingHandler streaming;
};

Peer PeerOf(int fd, const net::Address& address) {
  Peer peer;
  peer.address = address.ToString();
  if (address.family() == AF_UNIX) {
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
      peer.pid = credentials.pid;
      peer.uid = credentials.uid;
    }
  } else {
    net::DisableSendDelay(fd);
    net::DetectDeadPeer(fd, kDeadClientTimeout);
  }
  return peer;
}

// The server behind the handle its user holds. Connections and the listening socket live on the
// loop.
class ServerCore final : public ServerConnection::Owner,
                         public std::enable_shared_from_this<ServerCore> {
 public:
  ServerCore(net::EventLoop& loop, ServerOptions options, AnyHandler handler, Logger logger,
             std::unique_ptr<net::Listener> listener)
      : loop_(loop),
        options_(std::move(options)),
        settings_{.limits = {.max_head_bytes = options_.max_head_bytes,
                             .max_body_bytes = options_.max_body_bytes},
                  .read_timeout = options_.read_timeout,
                  .idle_timeout = options_.idle_timeout,
                  .streaming = handler.streaming != nullptr,
                  .bodies = std::make_shared<BodyBudget>(options_.max_held_bytes)},
        handler_(std::move(handler)),
        logger_(std::move(logger)),
        endpoint_(listener->endpoint()),
        listener_(std::move(listener)),
        acceptor_(loop.impl().context()),
        workers_("http-worker", options_.workers) {}

  const net::Endpoint& endpoint() const { return endpoint_; }
  void StartAccepting();
  void Stop(const WaitLimit& limit);
  // After this nothing of the user's is called any more.
  void StopWorkers() { workers_.Stop(); }

  void Handle(ServerRequest request, std::shared_ptr<ServerExchange> exchange) override;
  void OnClosed(ServerConnection& connection) override;
  bool MakeRoomFor(const ServerConnection& connection) override;

 private:
  void WaitToAccept();
  void AcceptSome();
  void PauseAccepting();
  void Take(UniqueFd fd, const net::Address& address);
  bool HasRoom();
  template <typename Condition>
  std::shared_ptr<ServerConnection> LongestWaitedFor(Condition condition) const;
  void StopAccepting();
  void CloseAll();
  void RunHandler(ServerRequest request, const std::shared_ptr<ServerExchange>& exchange);
  void RunPlain(const ServerRequest& request, ResponseWriter& writer);

  net::EventLoop& loop_;
  const ServerOptions options_;
  const ServerConnection::Settings settings_;
  const AnyHandler handler_;
  const Logger logger_;
  const net::Endpoint endpoint_;

  // On the loop only.
  std::unique_ptr<net::Listener> listener_;
  net::asio::generic::stream_protocol::socket acceptor_;
  std::unique_ptr<net::EventLoop::Timer> accept_timer_;
  std::unordered_set<std::shared_ptr<ServerConnection>> connections_;

  std::mutex mutex_;
  std::condition_variable closed_one_;
  size_t open_ = 0;  // connections, for those who wait outside the loop

  WorkerPool workers_;
};

void ServerCore::StartAccepting() {
  net::ErrorCode error;
  acceptor_.assign(net::asio::generic::stream_protocol(AF_INET, 0), listener_->fd(), error);
  if (error) {
    logger_.Error("cannot wait for connections", {{"error", error.message()}});
    return;
  }
  WaitToAccept();
}

void ServerCore::WaitToAccept() {
  if (listener_ == nullptr) {
    return;
  }
  acceptor_.async_wait(net::asio::socket_base::wait_read,
                       [self = shared_from_this()](const net::ErrorCode& error) {
                         if (!error && self->listener_ != nullptr) {
                           self->AcceptSome();
                         }
                       });
}

void ServerCore::AcceptSome() {
  for (int count = 0; count < kAcceptsPerTurn; ++count) {
    net::Address address;
    UniqueFd fd = listener_->Accept(&address);
    if (fd.valid()) {
      Take(std::move(fd), address);
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      PauseAccepting();
      return;
    }
    if (errno != ECONNABORTED && errno != EINTR) {
      break;
    }
  }
  WaitToAccept();
}

void ServerCore::PauseAccepting() {
  logger_.Warning("out of file descriptors or memory, accepting again shortly",
                  {{"listen", endpoint_.ToString()}});
  accept_timer_ = loop_.After(kAcceptPause, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->WaitToAccept();
    }
  });
}

bool ServerCore::HasRoom() {
  const auto most = static_cast<size_t>(std::max(1, options_.max_connections));
  if (connections_.size() >= most && options_.make_room) {
    if (const auto silent = LongestWaitedFor([](const ServerConnection&) { return true; })) {
      silent->Close();
    }
  }
  return connections_.size() < most;
}

bool ServerCore::MakeRoomFor(const ServerConnection& connection) {
  if (!options_.make_room) {
    return false;
  }
  const auto slowest = LongestWaitedFor(
      [&](const ServerConnection& each) { return &each == &connection || each.holds_memory(); });
  if (slowest == nullptr || slowest.get() == &connection) {
    return false;
  }
  slowest->GiveWay();
  return true;
}

// Null when nobody keeps us waiting.
template <typename Condition>
std::shared_ptr<ServerConnection> ServerCore::LongestWaitedFor(Condition condition) const {
  std::shared_ptr<ServerConnection> longest;
  SteadyTime since = SteadyTime::max();
  for (const auto& connection : connections_) {
    if (connection->waiting_since() < since && condition(*connection)) {
      since = connection->waiting_since();
      longest = connection;
    }
  }
  return longest;
}

void ServerCore::Take(UniqueFd fd, const net::Address& address) {
  if (!HasRoom()) {
    if (options_.tls == nullptr) {
      (void)::send(fd.get(), kTooMany.data(), kTooMany.size(), MSG_NOSIGNAL);
    }
    return;
  }
  net::SslPtr session;
  if (options_.tls != nullptr) {
    Result<net::SslPtr> made = net::Openssl(*options_.tls).NewSession("");
    if (!made.ok()) {
      logger_.Error("no TLS session", {{"error", made.status().ToString()}});
      return;
    }
    session = std::move(made).value();
  }
  Peer peer = PeerOf(fd.get(), address);
  auto transport =
      std::make_unique<net::Transport>(loop_.impl(), std::move(fd), std::move(session));
  const auto connection = std::make_shared<ServerConnection>(loop_, std::move(transport),
                                                             std::move(peer), settings_, *this);
  connections_.insert(connection);
  {
    std::lock_guard lock(mutex_);
    ++open_;
  }
  connection->Start();
}

void ServerCore::OnClosed(ServerConnection& connection) {
  connections_.erase(connection.shared_from_this());
  std::lock_guard lock(mutex_);
  --open_;
  closed_one_.notify_all();
}

void ServerCore::Handle(ServerRequest request, std::shared_ptr<ServerExchange> exchange) {
  // Shared, because a task must be copyable and a request is not.
  auto shared = std::make_shared<ServerRequest>(std::move(request));
  workers_.Run([this, shared = std::move(shared), exchange = std::move(exchange)] {
    RunHandler(std::move(*shared), exchange);
  });
}

void ServerCore::RunHandler(ServerRequest request,
                            const std::shared_ptr<ServerExchange>& exchange) {
  std::unique_ptr<ResponseWriter> writer = NewResponseWriter(exchange);
  const std::string what = request.message.method + " " + request.message.target;
  try {
    if (handler_.streaming) {
      handler_.streaming(std::move(request), std::move(writer));
    } else {
      RunPlain(request, *writer);
    }
  } catch (const std::exception& error) {
    logger_.Error("a handler threw", {{"request", what}, {"error", error.what()}});
  } catch (...) {
    logger_.Error("a handler threw", {{"request", what}});
  }
}

void ServerCore::RunPlain(const ServerRequest& request, ResponseWriter& writer) {
  const Status status = writer.Send(handler_.plain(request));
  if (status.Is(Code::kInvalid)) {
    logger_.Error("a handler's answer cannot be sent",
                  {{"request", request.message.method + " " + request.message.target},
                   {"error", status.ToString()}});
  }
}

void ServerCore::StopAccepting() {
  net::ErrorCode ignored;
  if (listener_ != nullptr && acceptor_.is_open()) {
    (void)acceptor_.release(ignored);  // the listener closes it
  }
  listener_ = nullptr;
  accept_timer_ = nullptr;
  for (const auto& connection : std::vector(connections_.begin(), connections_.end())) {
    connection->Stop();
  }
}

void ServerCore::CloseAll() {
  for (const auto& connection : std::vector(connections_.begin(), connections_.end())) {
    connection->Close();
  }
}

void ServerCore::Stop(const WaitLimit& limit) {
  loop_.impl().RunAndWait([this] { StopAccepting(); });
  {
    const StopWaker waker(limit.stop, mutex_, closed_one_);
    std::unique_lock lock(mutex_);
    while (open_ > 0 && !limit.Expired(RealClock())) {
      RealClock().WaitUntil(lock, closed_one_, limit.deadline);
    }
  }
  loop_.impl().RunAndWait([this] { CloseAll(); });
}

class ServerHandle final : public Server {
 public:
  explicit ServerHandle(std::shared_ptr<ServerCore> core) : core_(std::move(core)) {}
  ~ServerHandle() override {
    core_->Stop({.deadline = SteadyTime::min()});
    core_->StopWorkers();
  }
  const net::Endpoint& endpoint() const override { return core_->endpoint(); }
  void Stop(const WaitLimit& limit) override { core_->Stop(limit); }

 private:
  // Shared with the loop's pending work.
  const std::shared_ptr<ServerCore> core_;
};

Status CheckOptions(const ServerOptions& options) {
  if (options.listen.tls != (options.tls != nullptr)) {
    return InvalidError(options.listen.ToString() + (options.listen.tls
                                                         ? " needs TLS, and none is set up"
                                                         : " is plain text, but TLS is set up"));
  }
  if (options.tls != nullptr && !options.tls->options().server) {
    return InvalidError("a server was given a client's TLS context");
  }
  if (options.loopback_only && !options.listen.IsLoopback()) {
    return InvalidError(options.listen.ToString() +
                        " can be reached from other machines; only loopback is allowed here");
  }
  return Status::Ok();
}

Result<std::unique_ptr<Server>> StartServer(net::EventLoop& loop, ServerOptions options,
                                            AnyHandler handler, Logger logger) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(std::unique_ptr<net::Listener> listener,
                   net::Listener::Open(options.listen, options.unix_mode));
  auto core = std::make_shared<ServerCore>(loop, std::move(options), std::move(handler),
                                           std::move(logger), std::move(listener));
  loop.impl().RunAndWait([&] { core->StartAccepting(); });
  return std::unique_ptr<Server>(std::make_unique<ServerHandle>(std::move(core)));
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(net::EventLoop& loop, ServerOptions options,
                                              Handler handler, Logger logger) {
  return StartServer(loop, std::move(options), {.plain = std::move(handler), .streaming = nullptr},
                     std::move(logger));
}

Result<std::unique_ptr<Server>> Server::StartStreaming(net::EventLoop& loop, ServerOptions options,
                                                       StreamingHandler handler, Logger logger) {
  return StartServer(loop, std::move(options), {.plain = nullptr, .streaming = std::move(handler)},
                     std::move(logger));
}

}  // namespace hearth::http
