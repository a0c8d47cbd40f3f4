#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "net/internal/asio.h"
#include "net/internal/event_loop_impl.h"
#include "net/internal/socket_io.h"
#include "net/internal/tls_session.h"

namespace hearth::net {

// A connected byte stream, plain or TLS, as attempts that never block and waits for readiness: no
// buffers of its own, so a thousand idle ones cost little. Used on the loop only.
class Transport {
 public:
  // `fd` is a connected, non-blocking stream socket. A session may be null.
  Transport(EventLoop::Impl& loop, UniqueFd fd, SslPtr session);
  ~Transport() { Close(); }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // kOk once TLS is up; at once without TLS.
  IoResult Handshake();
  IoResult Read(char* to, size_t size);
  IoResult Write(std::string_view bytes);

  // So many bytes are sure to come: waits need not end for fewer. A wish.
  void ExpectBytes(size_t count);
  // Calls `then(bool)` on the loop: false when the transport was closed meanwhile. One wait of a
  // kind at a time. The transport must live until then, so `then` holds its owner.
  template <typename Then>
  void WaitReadable(Then then) {
    socket_.async_wait(asio::socket_base::wait_read,
                       [this, then = std::move(then)](const ErrorCode& error) mutable {
                         io_.MarkReadable();
                         then(!error);
                       });
  }
  template <typename Then>
  void WaitWritable(Then then) {
    socket_.async_wait(asio::socket_base::wait_write,
                       [then = std::move(then)](const ErrorCode& error) mutable { then(!error); });
  }

  // See TlsSession; never without TLS.
  bool AskForLife() { return tls_ && tls_->AskForLife(); }
  bool TakeSignOfLife() { return tls_ && tls_->TakeSignOfLife(); }

  // No more bytes from us; what the peer sends can still be read.
  void ShutdownSend();
  void Close();
  bool closed() const { return !socket_.is_open(); }
  int fd() const { return io_.fd(); }
  PeerIdentity peer() const { return tls_ ? tls_->peer() : PeerIdentity(); }

 private:
  asio::generic::stream_protocol::socket socket_;
  SocketIo io_;
  std::unique_ptr<TlsSession> tls_;
};

// A peer that vanished is noticed after about `timeout`. No effect on unix sockets.
void DetectDeadPeer(int fd, Duration timeout);
void DisableSendDelay(int fd);

}  // namespace hearth::net
