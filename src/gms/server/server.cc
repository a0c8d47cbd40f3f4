#include "gms/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "gms/protocol/frame.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/admin_session.h"
#include "gms/server/internal/admin_socket.h"
#include "gms/server/internal/session.h"
#include "gms/server/internal/take_over.h"

namespace hearth::gms::server {
namespace {

// Accepted before others have their turn.
constexpr int kAcceptsPerTurn = 16;
// Clients that fetch nothing before the kernel takes no more descriptors for others.
constexpr rlim_t kShares = 16;
// How long nobody is accepted when descriptors have run out.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

Status CheckOptions(const ServerOptions& options, const std::vector<DeviceSetup>& devices) {
  if (devices.empty()) {
    return InvalidError("there is no device to serve");
  }
  std::set<std::string_view> tags;
  for (const std::string& tag : options.tags) {
    if (tag != kWeightsTag && tag != kKvCacheTag) {
      return InvalidError(fmt::format("invalid choice: tag {} is neither {} nor {}", tag,
                                      kWeightsTag, kKvCacheTag));
    }
    if (!tags.insert(tag).second) {
      return InvalidError(fmt::format("tags must be unique: {} is there twice", tag));
    }
  }
  if (!options.socket_path.empty() && options.tags.size() != 1) {
    return InvalidError("a socket path of its own requires exactly one --tag");
  }
  if (!options.socket_path.empty() && devices.size() != 1) {
    return InvalidError("a socket path of its own requires exactly one --device");
  }
  std::set<std::string_view> uuids;
  for (const DeviceSetup& device : devices) {
    if (!uuids.insert(device.device->facts().uuid).second) {
      return InvalidError(fmt::format("two devices have the name {}", device.device->facts().uuid));
    }
  }
  return options.alloc_retry_interval > Duration::zero() &&
                 options.alloc_retry_timeout > Duration::zero()
             ? Status::Ok()
             : InvalidError("the interval and the timeout of allocations must be above 0");
}

// Each piece of host memory is a descriptor, and so is each connection. What it is then.
rlim_t RaiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

// A name by the device's number that leads to the socket; removed with it.
class OrdinalLink {
 public:
  // What is there and not ours is left alone: the link is a courtesy.
  static std::unique_ptr<OrdinalLink> Make(const std::string& path, const std::string& target) {
    std::error_code error;
    if (std::filesystem::is_symlink(path, error)) {
      std::filesystem::remove(path, error);
    }
    std::filesystem::create_symlink(std::filesystem::path(target).filename(), path, error);
    return error ? nullptr : std::unique_ptr<OrdinalLink>(new OrdinalLink(path));
  }
  ~OrdinalLink() {
    std::error_code error;
    if (std::filesystem::is_symlink(path_, error)) {
      std::filesystem::remove(path_, error);
    }
  }

 private:
  explicit OrdinalLink(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

void SendLastWords(int socket, const Status& status) {
  const std::string frame = EncodeFrame(ToErrorResponse(status));
  (void)!::send(socket, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions given, Logger log)
      : options(std::move(given)),
        state{.loop = loop,
              .options = options,
              .log = std::move(log),
              .nonce = NewUuid(),
              .started = RealClock().Now()} {
    state.pause = [this](bool paused) { Pause(paused); };
    state.remove_sockets = [this] { RemoveSockets(); };
    state.handed_over = [this] { loop.Stop(); };
  }
  ~Impl();

  Status Listen();
  Status ListenTo(DeviceDomains& device, const std::string& tag);
  void AcceptSome(ListeningSocket& listener, const std::function<void(UniqueFd, Peer)>& accept);
  void WatchListener(ListeningSocket& listener, std::function<void(UniqueFd, Peer)> accept);
  Status Admit(const Peer& peer, bool admin) const;
  void AddSession(DeviceDomains& device, DomainService& domain, UniqueFd socket, Peer peer);
  void AddAdmin(UniqueFd socket, Peer peer);
  void RestFromAccepting();
  void Accept(bool clients);
  void Pause(bool paused);
  void RemoveSockets();
  void Break(const Status& why);

  struct Listener {
    ListeningSocket* socket;
    std::function<void(UniqueFd, Peer)> accept;
    uint64_t watch = 0;
  };

  ServerOptions options;
  EpollLoop loop;
  ServerState state;
  std::vector<Listener> listeners;
  std::optional<ListeningSocket> admin_listener;
  std::vector<std::unique_ptr<OrdinalLink>> links;
  std::set<std::unique_ptr<AdminSession>> admins;
  uint64_t next_session = 1;
  EpollLoop::TimerId accept_pause;
  Status broken;
};

Server::Impl::~Impl() {
  RemoveSockets();
  admins.clear();
  state.sessions.clear();
  for (const auto& device : state.devices) {
    device->device().Stop();
  }
  loop.DropTasks();
  state.devices.clear();
}

Status Server::Impl::ListenTo(DeviceDomains& device, const std::string& tag) {
  const std::string path = DomainPath(options, device.device().facts(), tag);
  ASSIGN_OR_RETURN(ListeningSocket socket,
                   ListeningSocket::Bind(path, options.access.socket_mode()));
  DomainService& domain = *device.Find(tag);
  domain.listener.emplace(std::move(socket));
  WatchListener(*domain.listener, [this, &device, &domain](UniqueFd connection, Peer peer) {
    AddSession(device, domain, std::move(connection), peer);
  });
  return Status::Ok();
}

Status Server::Impl::Listen() {
  for (const auto& device : state.devices) {
    for (const std::string& tag : options.tags) {
      RETURN_IF_ERROR(ListenTo(*device, tag));
    }
  }
  for (const auto& device : state.devices) {
    for (const std::string& tag : options.tags) {
      if (options.ordinal_links && options.socket_path.empty()) {
        links.push_back(OrdinalLink::Make(
            OrdinalSocketPath(options.directory, device->device().facts().ordinal, tag),
            device->Find(tag)->listener->path()));
      }
    }
  }
  ASSIGN_OR_RETURN(ListeningSocket admin, BindAdminSocket(state));
  admin_listener.emplace(std::move(admin));
  WatchListener(*admin_listener,
                [this](UniqueFd connection, Peer peer) { AddAdmin(std::move(connection), peer); });
  return Status::Ok();
}

void Server::Impl::WatchListener(ListeningSocket& socket,
                                 std::function<void(UniqueFd, Peer)> accept) {
  Listener& listener = listeners.emplace_back(Listener{&socket, std::move(accept)});
  listener.watch =
      loop.Watch(socket.fd(), EPOLLIN, [this, &socket, accept = listener.accept](uint32_t events) {
        if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
          return Break(UnavailableError(fmt::format("listener {} was shut down", socket.path())));
        }
        AcceptSome(socket, accept);
      });
}

void Server::Impl::AcceptSome(ListeningSocket& listener,
                              const std::function<void(UniqueFd, Peer)>& accept) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const int error = errno;
    if (!socket.valid()) {
      if (error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS) {
        state.log.Error("cannot accept connections for a moment",
                        {{"why", Status::FromErrno(error, "accept").ToString()}});
        RestFromAccepting();
      } else if (error != EAGAIN && error != EINTR && error != ECONNABORTED) {
        Break(Status::FromErrno(error, fmt::format("listener {} failed", listener.path())));
      }
      return;
    }
    auto peer = PeerOf(socket.get());
    const Status admitted = peer.ok() ? Admit(*peer, &listener == &*admin_listener) : peer.status();
    if (!admitted.ok()) {
      ++state.metrics.refused_connections;
      state.log.Warning("connection refused", {{"why", admitted.ToString()}});
      SendLastWords(socket.get(), admitted);
      continue;
    }
    ++state.metrics.connections;
    accept(std::move(socket), *peer);
  }
}

Status Server::Impl::Admit(const Peer& peer, bool admin) const {
  if (admin) {
    return options.access.MayAdminister(peer.uid);
  }
  RETURN_IF_ERROR(options.access.MayConnect(peer.uid, peer.gid));
  if (state.sessions.size() >= options.max_connections) {
    return MakeError(
        ErrorCode::kLimitReached,
        fmt::format("{} connections are open; no more are taken", state.sessions.size()));
  }
  return Status::Ok();
}

void Server::Impl::AddSession(DeviceDomains& device, DomainService& domain, UniqueFd socket,
                              Peer peer) {
  const SessionId id{next_session++};
  state.sessions.emplace(
      id, std::make_shared<Session>(id, state, device, domain, std::move(socket), peer,
                                    [this, id, &device] {
                                      state.sessions.erase(id);
                                      device.device().WakeWaiters();  // its own among them
                                    }));
}

void Server::Impl::AddAdmin(UniqueFd socket, Peer peer) {
  auto place = std::make_shared<AdminSession*>(nullptr);
  auto admin = std::make_unique<AdminSession>(state, std::move(socket), peer, [this, place] {
    std::erase_if(admins, [&](const auto& each) { return each.get() == *place; });
  });
  *place = admin.get();
  admins.insert(std::move(admin));
}

// Descriptors have run out; asked again at once, the kernel would say the same.
void Server::Impl::RestFromAccepting() {
  for (const Listener& listener : listeners) {
    loop.Change(listener.watch, 0);
  }
  loop.Cancel(accept_pause);
  accept_pause = loop.At(RealClock().Now() + kAcceptPause, [this] { Accept(!state.handing_over); });
}

void Server::Impl::Accept(bool clients) {
  for (const Listener& listener : listeners) {
    const bool admin = listener.socket == &*admin_listener;
    loop.Change(listener.watch, clients || admin ? uint32_t{EPOLLIN} : 0U);
  }
}

void Server::Impl::Pause(bool paused) {
  Accept(!paused);
  for (const auto& [id, session] : state.sessions) {
    session->connection().SetPaused(paused);
  }
}

void Server::Impl::RemoveSockets() {
  for (Listener& listener : listeners) {
    loop.Unwatch(listener.watch);
    listener.socket->Remove();
  }
  listeners.clear();
  links.clear();
  loop.Cancel(accept_pause);
}

void Server::Impl::Break(const Status& why) {
  if (broken.ok()) {
    broken = why.WithContext("GMS server stopped unexpectedly");
    loop.Stop();
  }
}

Result<std::unique_ptr<Server>> Server::Create(ServerOptions options,
                                               std::vector<DeviceSetup> devices, Logger log) {
  RETURN_IF_ERROR(CheckOptions(options, devices));
  const rlim_t files = RaiseFileLimit();
  if (options.connection.unfetched_fds == 0) {
    options.connection.unfetched_fds = std::max<size_t>(files / kShares, 1);
  }
  auto impl = std::make_unique<Impl>(std::move(options), std::move(log));
  for (DeviceSetup& device : devices) {
    impl->state.devices.push_back(std::make_unique<DeviceDomains>(impl->state, std::move(device)));
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Status Server::TakeOver(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::string admin_path, FindPredecessor(impl_->state, limit));
  return server::TakeOver(impl_->state, admin_path, limit);
}

Status Server::Listen() { return impl_->Listen(); }

Status Server::Run() {
  impl_->loop.Run();
  return impl_->broken;
}

void Server::Stop() { impl_->loop.Stop(); }

void Server::StopOn(int fd) {
  impl_->loop.Watch(fd, EPOLLIN, [this](uint32_t) { impl_->loop.Stop(); });
}

std::vector<std::string> Server::SocketPaths() const {
  std::vector<std::string> paths;
  for (const Impl::Listener& listener : impl_->listeners) {
    paths.push_back(listener.socket->path());
  }
  return paths;
}

}  // namespace hearth::gms::server
