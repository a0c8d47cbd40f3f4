#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "net/internal/openssl.h"

namespace hearth::net {

// What an attempt to move bytes came to.
enum class IoCode {
  kOk,         // `bytes` moved
  kWantRead,   // wait until the socket is readable, try again
  kWantWrite,  // wait until it is writable, try again
  kClosed,     // the peer ended its side
  kCut,        // TLS only: it ended without saying so, as an attacker could have it
  kFailed,     // `status` says why
};

struct IoResult {
  IoCode code = IoCode::kOk;
  size_t bytes = 0;
  Status status;

  static IoResult Moved(size_t bytes) { return {IoCode::kOk, bytes, {}}; }
  static IoResult Failed(Status status) { return {IoCode::kFailed, 0, std::move(status)}; }
};

// Non-blocking reads and writes on a socket it does not own. Remembers that a short read emptied
// the socket, and then says kWantRead without asking the kernel again until readiness was reported.
// Used on the loop only.
class SocketIo {
 public:
  explicit SocketIo(int fd) : fd_(fd) {}

  IoResult Read(char* to, size_t size);
  IoResult Write(std::string_view bytes);
  // Readiness is reported for so many bytes or the end, not for fewer. For TCP only.
  void SetLowMark(size_t bytes);
  // The loop reported the socket readable.
  void MarkReadable() { drained_ = false; }
  int fd() const { return fd_; }
  // Why the last read or write failed.
  const Status& failure() const { return failure_; }

 private:
  IoResult Fail(int error, std::string_view what);

  int fd_;
  Status failure_;
  bool drained_ = false;
  int low_mark_ = 1;
};

// Carries OpenSSL's records over `io`, which must outlive the result. Unlike OpenSSL's own, never
// raises SIGPIPE.
BioPtr NewSocketBio(SocketIo& io);

}  // namespace hearth::net
