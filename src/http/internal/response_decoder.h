#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace hearth::http {

// Turns the bytes of one HTTP/1.1 answer, in pieces of any size, into its head and its body with
// the chunking undone. Does no IO. Takes and forgets interim answers (1xx). Not thread-safe.
class ResponseDecoder {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnHead(Response head) = 0;
    // Points into the bytes given to Decode where it can; `readable` bytes from its start on are
    // readable memory.
    virtual void OnBody(std::string_view bytes, size_t readable) = 0;
  };

  struct Options {
    size_t max_head_bytes = 64 << 10;
    bool answers_head = false;  // the answer to HEAD has no body whatever it says
  };
  // `sink` must outlive it.
  ResponseDecoder(const Options& options, Sink& sink);
  ~ResponseDecoder();
  ResponseDecoder(const ResponseDecoder&) = delete;
  ResponseDecoder& operator=(const ResponseDecoder&) = delete;

  // `readable` bytes from the start of `bytes` on may be read. kDataLoss: this is not HTTP, or its
  // framing is ambiguous. kExhausted: the head is too long. Nothing may be decoded after a failure.
  Status Decode(std::string_view bytes, size_t readable);
  // The connection ended. kDataLoss when the answer did not; `clean` is false when the end may have
  // been forged.
  Status DecodeEnd(bool clean);

  // Whether any byte arrived, the head is there, the answer is complete.
  bool started() const;
  bool head_done() const;
  bool done() const;
  // How many bytes are sure to follow before there is more to hand on; 0 when that is not known.
  size_t bytes_owed() const;
  // Complete, and the connection can take the next request.
  bool reusable() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::http
