#include "net/internal/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"

namespace hearth::net {
namespace {

constexpr int kBacklog = 512;

UniqueFd NewSocket(int family) {
  return UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Result<Address> LookUp(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return InvalidError(fmt::format("cannot listen on \"{}\": {}", host, ::gai_strerror(error)));
  }
  char numeric[NI_MAXHOST] = "";
  ::getnameinfo(found->ai_addr, found->ai_addrlen, numeric, sizeof(numeric), nullptr, 0,
                NI_NUMERICHOST);
  ::freeaddrinfo(found);
  const Address address = NumericAddress(numeric, port);
  if (address.size == 0) {
    return InvalidError(fmt::format("cannot listen on \"{}\": no usable address", host));
  }
  return address;
}

Result<Address> TcpAddress(const Endpoint& endpoint) {
  if (endpoint.host.empty()) {
    return InvalidError("no address to listen on; 0.0.0.0 or :: means all of them");
  }
  const bool local = EqualIgnoreCase(endpoint.host, "localhost");
  const Address address = NumericAddress(local ? "127.0.0.1" : endpoint.host, endpoint.port);
  return address.size != 0 ? Result<Address>(address) : LookUp(endpoint.host, endpoint.port);
}

bool IsStale(const Address& address) {
  const UniqueFd probe = NewSocket(AF_UNIX);
  return ::connect(probe.get(), address.get(), address.size) != 0 && errno == ECONNREFUSED;
}

// Makes room for a new socket file, if all that is there is what a dead server left.
Status RemoveStaleFile(const std::string& path, const Address& address) {
  struct stat before {};
  if (::lstat(path.c_str(), &before) != 0) {
    return errno == ENOENT ? Status::Ok() : Status::FromErrno(errno, path);
  }
  if (!S_ISSOCK(before.st_mode)) {
    return AlreadyExistsError(path +
                              " is there and is not a socket; remove it or listen elsewhere");
  }
  if (!IsStale(address)) {
    return AlreadyExistsError("another server listens on " + path);
  }
  struct stat now {};
  if (::lstat(path.c_str(), &now) != 0 || now.st_ino != before.st_ino) {
    return AlreadyExistsError("another server is just starting on " + path);
  }
  return ::unlink(path.c_str()) == 0 ? Status::Ok() : Status::FromErrno(errno, path);
}

Status Bind(int fd, const Address& address, const Endpoint& endpoint) {
  if (::bind(fd, address.get(), address.size) == 0) {
    return Status::Ok();
  }
  const int error = errno;
  const std::string what = "listening on " + endpoint.ToString();
  return error == EADDRINUSE ? AlreadyExistsError(what + ": the address is in use")
                             : Status::FromErrno(error, what);
}

Status Listen(int fd, const Endpoint& endpoint) {
  return ::listen(fd, kBacklog) == 0
             ? Status::Ok()
             : Status::FromErrno(errno, "listening on " + endpoint.ToString());
}

Result<UniqueFd> OpenUnix(const Endpoint& endpoint, uint32_t mode) {
  ASSIGN_OR_RETURN(const Address address, UnixAddress(endpoint.unix_path));
  const bool abstract = endpoint.unix_path[0] == '@';
  if (!abstract) {
    RETURN_IF_ERROR(RemoveStaleFile(endpoint.unix_path, address));
  }
  UniqueFd fd = NewSocket(AF_UNIX);
  // The kernel gives the file the socket's own mode, less the umask: never more than asked for, at
  // no moment.
  if (!fd.valid() || ::fchmod(fd.get(), mode) != 0) {
    return Status::FromErrno(errno, "making a unix socket");
  }
  RETURN_IF_ERROR(Bind(fd.get(), address, endpoint));
  // Gives back what the umask took.
  if (!abstract && ::chmod(endpoint.unix_path.c_str(), mode) != 0) {
    return Status::FromErrno(errno, endpoint.unix_path);
  }
  RETURN_IF_ERROR(Listen(fd.get(), endpoint));
  return fd;
}

Result<UniqueFd> OpenTcp(const Endpoint& endpoint) {
  ASSIGN_OR_RETURN(const Address address, TcpAddress(endpoint));
  UniqueFd fd = NewSocket(address.family());
  const int on = 1;
  if (!fd.valid() || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0) {
    return Status::FromErrno(errno, "making a socket");
  }
  RETURN_IF_ERROR(Bind(fd.get(), address, endpoint));
  RETURN_IF_ERROR(Listen(fd.get(), endpoint));
  return fd;
}

uint16_t BoundPort(int fd) {
  Address address;
  address.size = sizeof(address.storage);
  return ::getsockname(fd, address.get(), &address.size) == 0 ? address.port() : 0;
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::Open(const Endpoint& endpoint, uint32_t unix_mode) {
  Endpoint actual = endpoint;
  if (endpoint.IsUnix()) {
    ASSIGN_OR_RETURN(UniqueFd fd, OpenUnix(endpoint, unix_mode));
    std::unique_ptr<Listener> listener(new Listener(std::move(fd), std::move(actual)));
    listener->RememberFile();
    return listener;
  }
  ASSIGN_OR_RETURN(UniqueFd fd, OpenTcp(endpoint));
  actual.port = BoundPort(fd.get());
  return std::unique_ptr<Listener>(new Listener(std::move(fd), std::move(actual)));
}

void Listener::RememberFile() {
  struct stat file {};
  if (::lstat(endpoint_.unix_path.c_str(), &file) == 0) {
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
}

Listener::~Listener() {
  struct stat file {};
  if (inode_ != 0 && ::lstat(endpoint_.unix_path.c_str(), &file) == 0 && file.st_dev == device_ &&
      file.st_ino == inode_) {
    ::unlink(endpoint_.unix_path.c_str());
  }
}

UniqueFd Listener::Accept(Address* peer) {
  peer->size = sizeof(peer->storage);
  return UniqueFd(::accept4(fd_.get(), peer->get(), &peer->size, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

}  // namespace hearth::net
