#pragma once

#include <string>
#include <string_view>
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
  IoResult Read(char* to, size_t size);
  IoResult Write(std::string_view bytes);
  // How many bytes of the connection are needed, at least, for so many that are still to be read; 0
  // in the middle of a record, where that is not known.
  size_t LeastOnTheWire(size_t bytes) const;
  // Says goodbye as far as the socket takes it.
  void Close();
  // Empty when the peer showed no certificate.
  PeerIdentity peer() const;

 private:
  IoResult Explain(int result, std::string_view doing);

  SslPtr ssl_;
  SocketIo& io_;
};

}  // namespace hearth::net
