#include "gms/protocol/fd_channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/check.h"

namespace hearth::gms {
namespace {

struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> bytes;
};

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }
bool PeerGone(int error) { return error == EPIPE || error == ECONNRESET || error == ENOTCONN; }

Result<Transferred> Outcome(ssize_t bytes, int error, const char* what) {
  if (bytes >= 0) {
    return Transferred{.bytes = static_cast<size_t>(bytes)};
  }
  if (WouldBlock(error)) {
    return Transferred{.would_block = true};
  }
  if (error == ETOOMANYREFS) {
    return ExhaustedError(std::string(what) + ": too many descriptors are on their way");
  }
  if (PeerGone(error)) {
    return UnavailableError(std::string(what) + ": the peer is gone");
  }
  return Status::FromErrno(error, what);
}

void Attach(msghdr& message, ControlBuffer& control, std::span<const int> fds) {
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
}

void Detach(msghdr& message, std::deque<UniqueFd>& fds) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
}

ssize_t Receive(int socket, msghdr& message) {
  ssize_t bytes = 0;
  do {
    bytes = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  return bytes;
}

}  // namespace

Result<Transferred> SendSome(int socket, std::string_view bytes, std::span<const UniqueFd> fds) {
  std::vector<int> numbers;
  numbers.reserve(fds.size());
  for (const UniqueFd& fd : fds) {
    numbers.push_back(fd.get());
  }
  return SendNumbers(socket, bytes, numbers);
}

Result<Transferred> SendNumbers(int socket, std::string_view bytes, std::span<const int> fds) {
  CHECK(fds.size() <= kMaxFds && !bytes.empty());
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control;
  if (!fds.empty()) {
    Attach(message, control, fds);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return Outcome(sent, errno, "send");
}

Result<Transferred> ReceiveSome(int socket, std::span<char> into, std::deque<UniqueFd>& fds) {
  iovec part{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ControlBuffer control;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  const ssize_t bytes = Receive(socket, message);
  if (bytes < 0) {
    return Outcome(bytes, errno, "receive");
  }
  std::deque<UniqueFd> received;
  Detach(message, received);
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    return DataLossError(
        "receive: the kernel could not deliver all descriptors; is the limit of open files "
        "reached (ulimit -n)?");
  }
  for (UniqueFd& fd : received) {
    fds.push_back(std::move(fd));
  }
  return Transferred{.bytes = static_cast<size_t>(bytes), .ended = bytes == 0};
}

Result<Transferred> ReceiveBytes(int socket, std::span<char> into) {
  iovec part{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const ssize_t bytes = Receive(socket, message);
  auto outcome = Outcome(bytes, errno, "receive");
  if (outcome.ok() && !outcome->would_block) {
    outcome->ended = bytes == 0;
    outcome->refused_fds = (message.msg_flags & MSG_CTRUNC) != 0;
  }
  return outcome;
}

}  // namespace hearth::gms
