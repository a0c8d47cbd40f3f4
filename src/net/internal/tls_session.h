#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/internal/openssl.h"
#include "net/internal/socket_io.h"

namespace hearth::net {

// Whom a verified certificate names.
struct PeerIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
};

// One TLS connection over a socket. Used on the loop only; never blocks.
// Trouble with a certificate, theirs or ours, is kUnauthenticated with reason "CertificateInvalid";
// everything else kUnavailable.
class TlsSession {
 public:
  // `io` must outlive it.
  TlsSession(SslPtr ssl, SocketIo& io);

  IoResult Handshake();
  // Answers a peer that asks for a sign of life at once, and not with what is written next.
  IoResult Read(char* to, size_t size);
  IoResult Write(std::string_view bytes);
  // How many bytes of the connection are needed, at least, for so many that are still to be read; 0
  // in the middle of a record, where that is not known.
  size_t LeastOnTheWire(size_t bytes) const;
  // Makes the peer owe us a message that TLS itself answers, whatever the program behind it does or
  // does not send: a change of keys (RFC 8446, 4.6.3). False when that is not possible: before TLS
  // 1.3, while a write waits, or when it was asked so often without sending anything that a peer
  // might hang up. Some peers hold the answer back until they have something to send.
  bool AskForLife();
  // Whether a change of keys has arrived since this was last asked. Reading finds it.
  bool TakeSignOfLife() { return std::exchange(sign_of_life_, false); }
  // Says goodbye as far as the socket takes it.
  void Close();
  // Empty when the peer showed no certificate.
  PeerIdentity peer() const;

 private:
  IoResult Explain(int result, std::string_view doing);
  bool SendKeyUpdate(int type);

  SslPtr ssl_;
  SocketIo& io_;
  bool sign_of_life_ = false;
  int questions_ = 0;  // since data was sent last
};

}  // namespace hearth::net
