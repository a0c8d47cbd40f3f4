#include "tcp_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace hearth {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Closing with unread data or with linger 0 sends a reset: the peer sees a broken connection, not
// an end.
void ResetOnClose(int fd) {
  const linger hard{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
}

struct Link {
  UniqueFd client;
  UniqueFd server;
  std::string to_client, to_server;
  uint64_t budget = 0;  // bytes towards the client before it is cut; 0: no limit
  bool hung = false;
};

constexpr size_t kMaxWaiting = 256 << 10;

}  // namespace

struct TcpProxy::Impl {
  UniqueFd listener;
  UniqueFd wake;
  uint16_t port = 0;
  uint16_t server_port = 0;
  mutable std::mutex mutex;
  std::list<Link> links;
  uint64_t cut_after = 0;
  bool frozen = false;
  uint64_t accepted = 0;
  uint64_t cut = 0;
  std::jthread thread;

  void Wake() const {
    const uint64_t one = 1;
    (void)!::write(wake.get(), &one, sizeof(one));
  }

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> polls = Interests();
      ::poll(polls.data(), polls.size(), -1);
      uint64_t drained = 0;
      (void)!::read(wake.get(), &drained, sizeof(drained));
      const std::lock_guard lock(mutex);
      if ((polls[1].revents & POLLIN) != 0) {
        Accept();
      }
      if (!frozen) {
        links.remove_if([this](Link& link) { return !link.hung && !Relay(link); });
      }
    }
  }

  std::vector<pollfd> Interests() {
    const std::lock_guard lock(mutex);
    std::vector<pollfd> polls = {{wake.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
    if (frozen) {
      return polls;
    }
    for (const Link& link : links) {
      if (!link.hung) {
        polls.push_back({link.client.get(), Events(link.to_server, link.to_client), 0});
        polls.push_back({link.server.get(), Events(link.to_client, link.to_server), 0});
      }
    }
    return polls;
  }

  static short Events(const std::string& from_here, const std::string& to_here) {
    return static_cast<short>((from_here.size() < kMaxWaiting ? POLLIN : 0) |
                              (to_here.empty() ? 0 : POLLOUT));
  }

  void Accept() {
    Link link;
    link.client.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    link.server.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = Loopback(server_port);
    ++accepted;
    if (!link.client.valid() ||
        ::connect(link.server.get(), reinterpret_cast<const sockaddr*>(&address),
                  sizeof(address)) != 0) {
      return;  // the client sees its connection closed
    }
    const int one = 1;
    for (const int fd : {link.client.get(), link.server.get()}) {
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    link.budget = cut_after;
    links.push_back(std::move(link));
  }

  // False when the connection is over.
  bool Relay(Link& link) {
    const bool open = Pull(link.client, link.to_server) && Pull(link.server, link.to_client);
    if (link.budget > 0 && link.to_client.size() >= link.budget) {
      ++cut;
      link.to_client.resize(link.budget);
      Push(link.client, link.to_client);
      ResetOnClose(link.client.get());
      ResetOnClose(link.server.get());
      return false;
    }
    const size_t before = link.to_client.size();
    const bool pushed = Push(link.client, link.to_client) && Push(link.server, link.to_server);
    if (link.budget > 0) {
      link.budget -= before - link.to_client.size();
    }
    return open && pushed;
  }

  static bool Pull(const UniqueFd& from, std::string& into) {
    char buffer[16 << 10];
    while (into.size() < kMaxWaiting) {
      const ssize_t got = ::recv(from.get(), buffer, sizeof(buffer), MSG_DONTWAIT);
      if (got < 0) {
        return errno == EAGAIN || errno == EINTR;
      }
      if (got == 0) {
        return false;
      }
      into.append(buffer, static_cast<size_t>(got));
    }
    return true;
  }

  static bool Push(const UniqueFd& to, std::string& from) {
    while (!from.empty()) {
      const ssize_t sent = ::send(to.get(), from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
      }
      from.erase(0, static_cast<size_t>(sent));
    }
    return true;
  }
};

Result<std::unique_ptr<TcpProxy>> TcpProxy::Start(uint16_t server_port) {
  return StartAt("127.0.0.1", 0, server_port);
}

Result<std::unique_ptr<TcpProxy>> TcpProxy::StartAt(const std::string& host, uint16_t port,
                                                    uint16_t server_port) {
  auto impl = std::make_unique<Impl>();
  impl->server_port = server_port;
  impl->wake.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  impl->listener.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = Loopback(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  socklen_t size = sizeof(address);
  if (::bind(impl->listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(impl->listener.get(), 128) != 0 ||
      ::getsockname(impl->listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Status::FromErrno(errno, "starting a TCP proxy");
  }
  impl->port = ntohs(address.sin_port);
  impl->thread = std::jthread([raw = impl.get()](const std::stop_token& stop) { raw->Run(stop); });
  return std::unique_ptr<TcpProxy>(new TcpProxy(std::move(impl)));
}

TcpProxy::TcpProxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TcpProxy::~TcpProxy() {
  impl_->thread.request_stop();
  impl_->Wake();
}

uint16_t TcpProxy::port() const { return impl_->port; }

void TcpProxy::CutAll() {
  const std::lock_guard lock(impl_->mutex);
  for (Link& link : impl_->links) {
    ResetOnClose(link.client.get());
    ResetOnClose(link.server.get());
  }
  impl_->links.clear();
  impl_->Wake();
}

void TcpProxy::CutAfter(uint64_t bytes) {
  const std::lock_guard lock(impl_->mutex);
  impl_->cut_after = bytes;
  for (Link& link : impl_->links) {
    link.budget = bytes;
  }
}

void TcpProxy::HangExisting() {
  const std::lock_guard lock(impl_->mutex);
  for (Link& link : impl_->links) {
    link.hung = true;
  }
  impl_->Wake();
}

void TcpProxy::SetFrozen(bool frozen) {
  const std::lock_guard lock(impl_->mutex);
  impl_->frozen = frozen;
  impl_->Wake();
}

int TcpProxy::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return static_cast<int>(impl_->links.size());
}

uint64_t TcpProxy::accepted() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->accepted;
}

uint64_t TcpProxy::cut() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->cut;
}

}  // namespace hearth
