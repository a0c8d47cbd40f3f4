#include "agent/pages/lazy_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hearth::agent {
namespace {

constexpr const char* kName = "lazy-pages.socket";
constexpr int kFinished = 0x52535446;  // in place of a pid

// The descriptor that follows a pid, with a byte of no meaning.
Result<UniqueFd> ReceiveDescriptor(int connection) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t count = ::recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) {
    return Status::FromErrno(errno, "memory from CRIU");
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
    return InternalError("CRIU handed over a process without its memory");
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  return UniqueFd(fd);
}

}  // namespace

Result<LazySocket> LazySocket::Listen(const std::string& directory) {
  const std::string path = directory + "/" + kName;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return InvalidError(fmt::format("{} is too long a name for a socket", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::unlink(path.c_str());
  if (!listener.valid() ||
      ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.get(), 1) != 0) {
    return Status::FromErrno(errno, path);
  }
  return LazySocket(path, std::move(listener));
}

LazySocket::~LazySocket() {
  if (listener_.valid()) {
    ::unlink(path_.c_str());
  }
}

Result<std::optional<LazySocket::Process>> LazySocket::Take() {
  if (!connection_.valid()) {
    connection_.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return connection_.valid() ? Result<std::optional<Process>>(std::nullopt)
                               : Status::FromErrno(errno, path_);
  }
  int pid = 0;
  const ssize_t count = ::recv(connection_.get(), &pid, sizeof(pid), MSG_WAITALL);
  ended_ = count != static_cast<ssize_t>(sizeof(pid));
  if (ended_ || pid < 0 || pid == kFinished) {
    return std::optional<Process>();
  }
  ASSIGN_OR_RETURN(UniqueFd faults, ReceiveDescriptor(connection_.get()));
  return std::optional(Process{pid, std::move(faults)});
}

}  // namespace hearth::agent
