#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace hearth::http {

// What a request's head says beside the message itself.
struct RequestHead {
  Request message;  // body empty
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
};

// Turns the bytes of one HTTP/1.1 request, in pieces of any size, into its head and its body with
// the chunking undone. Does no IO. Stricter than answers need: two readings of one request are how
// requests are smuggled. Not thread-safe.
class RequestDecoder {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnHead(RequestHead head) = 0;
    virtual void OnBody(std::string_view bytes) = 0;
  };

  struct Limits {
    size_t max_head_bytes = 64 << 10;
    uint64_t max_body_bytes = 3 << 20;
  };
  // `sink` must outlive it.
  RequestDecoder(const Limits& limits, Sink& sink);
  ~RequestDecoder();
  RequestDecoder(const RequestDecoder&) = delete;
  RequestDecoder& operator=(const RequestDecoder&) = delete;

  // How many of the bytes belong to this request: all, unless it is done. A failure's http_code()
  // is the answer to give: 400, 413, 417, 431, 501 or 505. Nothing may be decoded after a failure.
  Result<size_t> Decode(std::string_view bytes);

  bool started() const;
  bool head_done() const;
  bool done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::http
