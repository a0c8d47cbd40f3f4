#include "gms/client/internal/channel.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hearth::gms::internal {
namespace {

constexpr size_t kHeader = 4;
// Most answers fit: one system call brings header and payload.
constexpr size_t kFirstRead = 4096;

// Takes every descriptor that came, so that none is lost, whatever else is wrong.
std::vector<UniqueFd> TakeFds(msghdr& message) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    fds.reserve(fds.size() + count);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

Status LostTheConnection(int error) {
  return UnavailableError(std::string("the connection broke: ") + std::strerror(error));
}

}  // namespace

Status Channel::Send(std::string_view frame, SteadyTime deadline) {
  while (!frame.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      frame.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(waiter_.Wait(socket_.get(), POLLOUT, deadline, "the server does not read"));
    } else if (errno != EINTR) {
      return LostTheConnection(errno);
    }
  }
  return {};
}

Result<Channel::Read> Channel::ReadSome(char* to, size_t size, SteadyTime deadline) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control;
  while (true) {
    RETURN_IF_ERROR(waiter_.Wait(socket_.get(), POLLIN, deadline, "the server does not answer"));
    iovec vector{.iov_base = to, .iov_len = size};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (got < 0) {
      return LostTheConnection(errno);
    }
    Read read{.bytes = static_cast<size_t>(got), .fds = TakeFds(message)};
    if (got == 0) {
      return UnavailableError("the server closed the connection");
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
      return UnavailableError(
          "descriptors were lost on the way: is the limit of open files too low?");
    }
    return read;
  }
}

Status Channel::ReadAll(char* to, size_t size, std::vector<UniqueFd>& fds, SteadyTime deadline) {
  while (size > 0) {
    ASSIGN_OR_RETURN(Read read, ReadSome(to, size, deadline));
    to += read.bytes;
    size -= read.bytes;
    std::move(read.fds.begin(), read.fds.end(), std::back_inserter(fds));
  }
  return {};
}

Result<Channel::Frame> Channel::Receive(bool more_may_follow, SteadyTime deadline) {
  std::array<char, kHeader + kFirstRead> first;
  Frame frame;
  size_t have = 0;
  // Bytes behind this frame may belong to the next, whose descriptors would then come with ours.
  const size_t want = more_may_follow ? kHeader : first.size();
  while (have < kHeader) {
    ASSIGN_OR_RETURN(Read read, ReadSome(first.data() + have, want - have, deadline));
    have += read.bytes;
    std::move(read.fds.begin(), read.fds.end(), std::back_inserter(frame.fds));
  }
  uint32_t length = 0;
  std::memcpy(&length, first.data(), kHeader);
  length = ntohl(length);
  if (length > kMaxPayload) {
    return UnavailableError(
        fmt::format("the answer claims {} bytes, at most {} make sense", length, kMaxPayload));
  }
  if (have - kHeader > length) {
    return UnavailableError("the server sent more than one answer");
  }
  frame.payload.resize(length);
  std::memcpy(frame.payload.data(), first.data() + kHeader, have - kHeader);
  have -= kHeader;
  RETURN_IF_ERROR(ReadAll(frame.payload.data() + have, length - have, frame.fds, deadline));
  return frame;
}

}  // namespace hearth::gms::internal
