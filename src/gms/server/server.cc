#include "gms/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "gms/protocol/frame.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/admin_session.h"
#include "gms/server/internal/admin_socket.h"
#include "gms/server/internal/number_link.h"
#include "gms/server/internal/predecessor.h"
#include "gms/server/internal/session.h"
#include "gms/server/internal/spare_files.h"
#include "gms/server/internal/take_over.h"

namespace hearth::gms::server {
namespace {

// Accepted before others have their turn.
constexpr int kAcceptsPerTurn = 16;
// Descriptors on their way to one client: more than most layouts have, and at most a part of what
// the kernel takes.
constexpr rlim_t kShare = 4096;
constexpr rlim_t kShares = 16;
// Descriptors that are kept for the administration, and connections that it has at most.
constexpr size_t kSpareFiles = 8;
constexpr size_t kMostAdmins = 64;
// Of all connections one process has at most a part, but some in any case.
constexpr size_t kProcesses = 4;
constexpr size_t kFewConnections = 16;
// How long nobody is accepted when descriptors have run out.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
// Before it is tried again to have our sockets back.
constexpr Duration kListenPause = std::chrono::milliseconds(100);
// Before it is said again that they are not to be had.
constexpr Duration kComplaintPause = std::chrono::minutes(1);

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

// Where descriptors are few, connections leave as many for memory.
void LimitConnections(ServerOptions& options, rlim_t files) {
  const size_t most = std::min<size_t>(options.max_connections, files / 2);
  options.max_connections = std::max<size_t>(most, 1);
  if (options.max_connections_of_one == 0) {
    options.max_connections_of_one =
        std::max(options.max_connections / kProcesses, kFewConnections);
  }
}

bool RanOut(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

UniqueFd AcceptOne(int listener) {
  return UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

void SendLastWords(int socket, const Status& status) {
  const std::string frame = EncodeFrame(ToErrorResponse(status));
  (void)!::send(socket, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace

struct Server::Impl {
  Impl(ServerOptions given, rlim_t files, Logger log)
      : options(std::move(given)),
        traffic(loop, files, options.connection.unfetched_fds),
        unfinished(options.unfinished_bytes),
        state{.loop = loop,
              .traffic = traffic,
              .unfinished = unfinished,
              .options = options,
              .log = std::move(log),
              .nonce = NewUuid(),
              .started = RealClock().Now()} {
    state.pause = [this](bool paused) { Pause(paused); };
    state.remove_sockets = [this] { RemoveSockets(); };
    state.handed_over = [this] { loop.Stop(); };
    state.serve_again = [this] { ServeAgain(); };
  }
  ~Impl();

  Status Listen();
  bool ToldToStop() const;
  Status ListenTo(DeviceDomains& device, const std::string& tag, FolderLocks& locks);
  Status LinkNumber(DeviceDomains& device, const std::string& tag, FolderLocks& locks);
  void AcceptSome(ListeningSocket& listener, const std::function<void(UniqueFd, Peer)>& accept);
  Status WatchListener(ListeningSocket& listener, std::function<void(UniqueFd, Peer)> accept);
  Status Admit(const Peer& peer, bool admin) const;
  Status AdmitAdmin(const Peer& peer) const;
  void AddSession(DeviceDomains& device, DomainService& domain, UniqueFd socket, Peer peer);
  void AddAdmin(UniqueFd socket, Peer peer);
  void RestFromAccepting(bool admin);
  void Accept(bool clients);
  void Pause(bool paused);
  void RemoveSockets();
  void ServeAgain();
  void Break(const Status& why);

  struct Listener {
    ListeningSocket* socket;
    std::function<void(UniqueFd, Peer)> accept;
    uint64_t watch = 0;
  };

  ServerOptions options;
  EpollLoop loop;
  FdTraffic traffic;
  UnfinishedRequests unfinished;
  ServerState state;
  std::vector<Listener> listeners;
  std::optional<ListeningSocket> admin_listener;
  std::vector<std::unique_ptr<NumberLink>> links;
  std::set<std::unique_ptr<AdminSession>> admins;
  // By user and process; those that we cannot number count as one.
  std::map<std::pair<uid_t, pid_t>, size_t> connections_of;
  SpareFiles spare{kSpareFiles};
  uint64_t next_session = 1;
  EpollLoop::TimerId accept_pause;
  std::optional<Predecessor> predecessor;  // from TakeOver until we listen
  bool has_been_handed_on = false;         // what is here would be lost if we did not serve it
  SteadyTime next_complaint;               // that we cannot serve again
  int stop_fd = -1;
  bool ending = false;
  Status broken;
};

Server::Impl::~Impl() {
  ending = true;
  RemoveSockets();
  admins.clear();
  state.sessions.clear();
  for (const auto& device : state.devices) {
    device->device().Stop();
  }
  loop.DropTasks();
  state.devices.clear();
}

Status Server::Impl::ListenTo(DeviceDomains& device, const std::string& tag, FolderLocks& locks) {
  const std::string path = DomainPath(options, device.device().facts(), tag);
  ASSIGN_OR_RETURN(ListeningSocket socket,
                   ListeningSocket::Bind(path, options.access.socket_mode(), locks));
  DomainService& domain = *device.Find(tag);
  domain.listener.emplace(std::move(socket));
  return WatchListener(*domain.listener, [this, &device, &domain](UniqueFd connection, Peer peer) {
    AddSession(device, domain, std::move(connection), peer);
  });
}

// A number that another server has is an error, unless all that was taken over would be lost for
// it; whatever else keeps a link from being is none.
Status Server::Impl::LinkNumber(DeviceDomains& device, const std::string& tag, FolderLocks& locks) {
  const std::string path =
      OrdinalSocketPath(options.directory, device.device().facts().ordinal, tag);
  auto link = NumberLink::Make(path, device.Find(tag)->listener->path(), locks);
  if (link.ok()) {
    links.push_back(*std::move(link));
  } else if (link.status().Is(Code::kConflict) && !has_been_handed_on) {
    return link.status();
  } else {
    state.log.Warning("clients do not find the device by its number",
                      {{"link", path}, {"why", link.status().ToString()}});
  }
  return Status::Ok();
}

Status Server::Impl::Listen() {
  FolderLocks locks;
  for (const auto& device : state.devices) {
    for (const std::string& tag : options.tags) {
      RETURN_IF_ERROR(ListenTo(*device, tag, locks));
    }
  }
  for (const auto& device : state.devices) {
    for (const std::string& tag : options.tags) {
      if (options.ordinal_links && options.socket_path.empty()) {
        RETURN_IF_ERROR(LinkNumber(*device, tag, locks));
      }
    }
  }
  ASSIGN_OR_RETURN(ListeningSocket admin, BindAdminSocket(state, locks));
  admin_listener.emplace(std::move(admin));
  RETURN_IF_ERROR(WatchListener(*admin_listener, [this](UniqueFd connection, Peer peer) {
    AddAdmin(std::move(connection), peer);
  }));
  if (predecessor) {
    if (ToldToStop()) {
      return CancelledError("stopped before it served");  // the other can still go on
    }
    TellTaken(state, *predecessor);
    predecessor.reset();
  }
  return Status::Ok();
}

bool Server::Impl::ToldToStop() const {
  pollfd told{.fd = stop_fd, .events = POLLIN, .revents = 0};
  return ::poll(&told, 1, 0) > 0;
}

Status Server::Impl::WatchListener(ListeningSocket& socket,
                                   std::function<void(UniqueFd, Peer)> accept) {
  Listener& listener = listeners.emplace_back(Listener{&socket, std::move(accept)});
  listener.watch =
      loop.Watch(socket.fd(), EPOLLIN, [this, &socket, accept = listener.accept](uint32_t events) {
        if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
          return Break(UnavailableError(fmt::format("listener {} was shut down", socket.path())));
        }
        AcceptSome(socket, accept);
      });
  return listener.watch != 0 ? Status::Ok()
                             : Status::FromErrno(errno, "cannot watch " + socket.path());
}

void Server::Impl::AcceptSome(ListeningSocket& listener,
                              const std::function<void(UniqueFd, Peer)>& accept) {
  // The hand-over may have begun in this very turn, after we were told that somebody is there.
  const bool admin = &listener == &*admin_listener;
  if (state.handing_over && !admin) {
    return;
  }
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd socket = AcceptOne(listener.fd());
    if (!socket.valid() && admin && RanOut(errno) && spare.GiveOne()) {
      socket = AcceptOne(listener.fd());
    }
    const int error = errno;
    if (!socket.valid()) {
      if (RanOut(error)) {
        state.log.Error("cannot accept connections for a moment",
                        {{"why", Status::FromErrno(error, "accept").ToString()}});
        RestFromAccepting(admin);
      } else if (error != EAGAIN && error != EINTR && error != ECONNABORTED) {
        Break(Status::FromErrno(error, fmt::format("listener {} failed", listener.path())));
      }
      return;
    }
    auto peer = PeerOf(socket.get());
    const Status admitted = peer.ok() ? Admit(*peer, admin) : peer.status();
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
    return AdmitAdmin(peer);
  }
  RETURN_IF_ERROR(options.access.MayConnect(peer.uid, peer.gid));
  const auto own = connections_of.find({peer.uid, peer.pid});
  if (own != connections_of.end() && own->second >= options.max_connections_of_one) {
    return MakeError(ErrorCode::kLimitReached,
                     fmt::format("process {} has {} connections; one process gets no more",
                                 peer.pid, own->second));
  }
  if (state.sessions.size() >= options.max_connections) {
    return MakeError(
        ErrorCode::kLimitReached,
        fmt::format("{} connections are open; no more are taken", state.sessions.size()));
  }
  return Status::Ok();
}

Status Server::Impl::AdmitAdmin(const Peer& peer) const {
  RETURN_IF_ERROR(options.access.MayAdminister(peer.uid));
  if (admins.size() >= kMostAdmins) {
    return MakeError(ErrorCode::kLimitReached,
                     fmt::format("{} connections to the administration are open; no more are taken",
                                 admins.size()));
  }
  return Status::Ok();
}

void Server::Impl::AddSession(DeviceDomains& device, DomainService& domain, UniqueFd socket,
                              Peer peer) {
  const SessionId id{next_session++};
  const std::pair<uid_t, pid_t> who(peer.uid, peer.pid);
  ++connections_of[who];
  state.sessions.emplace(
      id, std::make_shared<Session>(id, state, device, domain, std::move(socket), peer,
                                    [this, id, who, &device] {
                                      state.sessions.erase(id);
                                      if (--connections_of[who] == 0) {
                                        connections_of.erase(who);
                                      }
                                      spare.Refill();
                                      device.device().WakeWaiters();  // its own among them
                                    }));
}

void Server::Impl::AddAdmin(UniqueFd socket, Peer peer) {
  auto place = std::make_shared<AdminSession*>(nullptr);
  auto admin = std::make_unique<AdminSession>(state, std::move(socket), peer, [this, place] {
    std::erase_if(admins, [&](const auto& each) { return each.get() == *place; });
    spare.Refill();
  });
  *place = admin.get();
  admins.insert(std::move(admin));
}

// Descriptors have run out; asked again at once, the kernel would say the same. The administration
// is asked for on while something is kept for it.
void Server::Impl::RestFromAccepting(bool admin) {
  for (const Listener& listener : listeners) {
    if (admin || listener.socket != &*admin_listener) {
      loop.Change(listener.watch, 0);
    }
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
    session->SetPaused(paused);
  }
}

void Server::Impl::RemoveSockets() {
  // First: as long as the sockets are ours nobody else makes links to them, which would look like
  // ours.
  FolderLocks locks;
  for (const auto& link : links) {
    link->Remove(locks);
  }
  links.clear();
  for (Listener& listener : listeners) {
    loop.Unwatch(listener.watch);
    listener.socket->Remove();
  }
  listeners.clear();
  loop.Cancel(accept_pause);
}

// The successor ended with our paths free, or has left sockets that nobody answers.
void Server::Impl::ServeAgain() {
  if (ending) {
    return;
  }
  has_been_handed_on = true;
  if (const Status status = Listen(); !status.ok()) {
    const SteadyTime now = RealClock().Now();
    if (now >= next_complaint) {
      next_complaint = now + kComplaintPause;
      state.log.Error("cannot serve again for a moment", {{"why", status.ToString()}});
    }
    RemoveSockets();
    loop.At(RealClock().Now() + kListenPause, [this] { ServeAgain(); });
    return;
  }
  next_complaint = {};
  state.handing_over = false;
  Pause(false);
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
  LimitConnections(options, files);
  if (options.connection.unfetched_fds == 0) {
    options.connection.unfetched_fds = std::max<size_t>(std::min(files / kShares, kShare), 1);
  }
  auto impl = std::make_unique<Impl>(std::move(options), files, std::move(log));
  for (DeviceSetup& device : devices) {
    impl->state.devices.push_back(std::make_unique<DeviceDomains>(impl->state, std::move(device)));
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Status Server::TakeOver(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(Predecessor predecessor, FindPredecessor(impl_->state, limit));
  impl_->state.log.Info("taking over", {{"from_pid", static_cast<int64_t>(predecessor.process.pid)},
                                        {"socket", predecessor.admin}});
  Status status = server::TakeOver(impl_->state, predecessor, limit);
  if (!status.ok()) {
    return status.WithContext(predecessor.admin);
  }
  impl_->has_been_handed_on = true;
  impl_->predecessor.emplace(std::move(predecessor));
  return status;
}

Status Server::Listen() { return impl_->Listen(); }

Status Server::Run() {
  impl_->loop.Run();
  return impl_->broken;
}

void Server::Stop() { impl_->loop.Stop(); }

void Server::StopOn(int fd) {
  const uint64_t watch = impl_->loop.Watch(fd, EPOLLIN, [this](uint32_t) { impl_->loop.Stop(); });
  CHECK(watch != 0) << "errno " << errno;
  impl_->stop_fd = fd;
}

std::vector<std::string> Server::SocketPaths() const {
  std::vector<std::string> paths;
  for (const Impl::Listener& listener : impl_->listeners) {
    paths.push_back(listener.socket->path());
  }
  return paths;
}

}  // namespace hearth::gms::server
