#include "net/internal/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace hearth::net {
namespace {

// Failing is no reason to give up the connection: an option is a wish.
void SetOption(int fd, int level, int name, int value) {
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

}  // namespace

Transport::Transport(EventLoop::Impl& loop, UniqueFd fd, SslPtr session)
    : socket_(loop.context()), io_(fd.get()) {
  // The exact protocol matters only to operations of Asio that are not used here.
  ErrorCode error;
  socket_.assign(asio::generic::stream_protocol(AF_INET, 0), fd.get(), error);
  if (error) {
    io_ = SocketIo(-1);  // every attempt fails from here on
  } else {
    (void)fd.release();
  }
  if (session != nullptr) {
    tls_ = std::make_unique<TlsSession>(std::move(session), io_);
  }
}

IoResult Transport::Handshake() { return tls_ ? tls_->Handshake() : IoResult::Moved(0); }

IoResult Transport::Read(char* to, size_t size) {
  return tls_ ? tls_->Read(to, size) : io_.Read(to, size);
}

IoResult Transport::Write(std::string_view bytes) {
  return tls_ ? tls_->Write(bytes) : io_.Write(bytes);
}

void Transport::ExpectBytes(size_t count) {
  io_.SetLowMark(tls_ ? tls_->LeastOnTheWire(count) : count);
}

void Transport::ShutdownSend() {
  if (closed()) {
    return;
  }
  if (tls_) {
    tls_->Close();
  }
  (void)::shutdown(fd(), SHUT_WR);
}

void Transport::Close() {
  if (closed()) {
    return;
  }
  if (tls_) {
    tls_->Close();
  }
  ErrorCode ignored;
  socket_.close(ignored);
}

void DetectDeadPeer(int fd, Duration timeout) {
  using std::chrono::duration_cast;
  constexpr int kProbes = 3;
  // Beyond a day nobody can tell the difference, and the numbers stay small.
  const Duration bounded =
      std::clamp<Duration>(timeout, std::chrono::seconds(1), std::chrono::hours(24));
  const auto seconds = static_cast<int>(duration_cast<std::chrono::seconds>(bounded).count());
  const int idle = std::max(1, seconds / 2);
  const int interval = std::max(1, (seconds - idle + kProbes - 1) / kProbes);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
            static_cast<int>(duration_cast<std::chrono::milliseconds>(bounded).count()));
}

void DisableSendDelay(int fd) { SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1); }

}  // namespace hearth::net
