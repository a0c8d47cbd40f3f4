#include "gms/protocol/message_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gms/protocol/fd_channel.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms {
namespace {

// How often a server that is not there is looked for, and a stop request noticed.
constexpr Duration kLook = std::chrono::milliseconds(5);

bool MayComeLater(int error) { return error == ENOENT || error == ECONNREFUSED || error == EAGAIN; }

Result<UniqueFd> TryConnect(const std::string& path, int& error) {
  // A blocking one would wait for ever for a server that accepts nobody, once its queue is full.
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) {
    error = errno;
    return Status::FromErrno(error, "socket");
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return socket;
  }
  error = errno;
  const char* what =
      error == EAGAIN ? "it accepts nobody, and its queue is full" : std::strerror(error);
  const Status status = UnavailableError(
      fmt::format("cannot connect to {}: {}; is gms-server running there?", path, what));
  return error == ENOENT || error == ECONNREFUSED ? status.WithReason(kNobodyListens) : status;
}

Status Poll(int socket, short events, const WaitLimit& limit, const char* what) {
  for (;;) {
    const Duration left = std::min<Duration>(limit.Remaining(RealClock()),
                                             limit.stop.stop_possible() ? kLook : Duration::max());
    const timespec wait{.tv_sec = std::min<int64_t>(left.count() / 1'000'000'000, 3600),
                        .tv_nsec = left.count() % 1'000'000'000};
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    if (::ppoll(&entry, 1, &wait, nullptr) > 0) {
      return Status::Ok();
    }
    RETURN_IF_ERROR(limit.Check(RealClock(), what));
  }
}

}  // namespace

MessageChannel::MessageChannel(UniqueFd socket) : socket_(std::move(socket)) {}

Result<MessageChannel> MessageChannel::Connect(const std::string& path, const WaitLimit& limit) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  for (;;) {
    int error = 0;
    auto socket = TryConnect(path, error);
    if (socket.ok()) {
      return MessageChannel(*std::move(socket));
    }
    if (!MayComeLater(error) || limit.Expired(RealClock())) {
      return socket.status();
    }
    SleepFor(RealClock(), std::min(kLook, limit.Remaining(RealClock())), limit.stop);
  }
}

Status MessageChannel::SendFrame(std::string_view bytes, const WaitLimit& limit) {
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const Transferred sent, SendSome(socket_.get(), bytes, {}));
    bytes.remove_prefix(sent.bytes);
    if (sent.would_block) {
      RETURN_IF_ERROR(Poll(socket_.get(), POLLOUT, limit, "waiting to send a request"));
    }
  }
  return Status::Ok();
}

Result<Document> MessageChannel::ReceiveDocument(const WaitLimit& limit) {
  for (;;) {
    ASSIGN_OR_RETURN(const auto payload, reader_.Next());
    if (payload) {
      return Document::Parse(*payload);
    }
    ASSIGN_OR_RETURN(const Transferred received, ReceiveSome(socket_.get(), reader_.Room(), fds_));
    if (received.ended) {
      return UnavailableError("the server closed the connection");
    }
    reader_.Filled(received.bytes);
    if (received.would_block) {
      RETURN_IF_ERROR(Poll(socket_.get(), POLLIN, limit, "waiting for the server's answer"));
    }
  }
}

Status MessageChannel::Unexpected(const Document& document, const char* wanted) {
  if (document.Is<ErrorResponse>()) {
    ASSIGN_OR_RETURN(const auto error, document.As<ErrorResponse>());
    return StatusOf(error);
  }
  return DataLossError(
      fmt::format("the server answered {} instead of {}", document.type(), wanted));
}

Result<std::vector<UniqueFd>> MessageChannel::TakeFds(size_t count) {
  if (fds_.size() < count) {
    return DataLossError(fmt::format("{} descriptors were announced, {} came", count, fds_.size()));
  }
  std::vector<UniqueFd> taken;
  for (size_t i = 0; i < count; ++i) {
    taken.push_back(std::move(fds_.front()));
    fds_.pop_front();
  }
  return taken;
}

Status MessageChannel::ExpectNoFds() {
  if (fds_.empty()) {
    return Status::Ok();
  }
  const size_t surplus = fds_.size();
  fds_.clear();
  return DataLossError(
      fmt::format("multiple file descriptors: {} came that no message told of", surplus));
}

}  // namespace hearth::gms
