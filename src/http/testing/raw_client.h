#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "net/endpoint.h"

namespace hearth::http {

// A client that says exactly what a test wants it to say. Blocking, two minutes at most for each
// call. Not thread-safe.
class RawClient {
 public:
  explicit RawClient(const net::Endpoint& server);

  bool connected() const { return fd_.valid(); }
  // What the server did not take is not an error: its answer tells.
  void Send(std::string_view bytes);
  // Everything up to and including `end`; what there is when the server closes or goes silent
  // first.
  std::string ReadUntil(std::string_view end);
  // A head and the body its Content-Length promises.
  std::string ReadAnswer();
  std::string ReadToEnd();
  // No more bytes from us; the server's still arrive.
  void CloseSending();
  void Close() { fd_.reset(); }

 private:
  bool Receive();
  std::string Take(size_t size);

  UniqueFd fd_;
  std::string received_;
};

}  // namespace hearth::http
