// The server's view of arbitrary bytes from a client, request behind request, in pieces of
// arbitrary sizes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/internal/request_decoder.h"

namespace {

using hearth::Result;
using hearth::http::RequestDecoder;
using hearth::http::RequestHead;

struct Trace : RequestDecoder::Sink {
  void OnHead(RequestHead head) override {
    text += head.message.method + " " + head.message.target;
    for (const auto& [name, value] : head.message.headers.fields()) {
      text += "|" + name + "=" + value;
    }
    text += head.keep_alive ? "\n" : " close\n";
  }
  void OnBody(std::string_view bytes) override { text.append(bytes); }

  std::string text;
};

constexpr size_t kMaxInput = 4096;

// All requests in the bytes up to the first that is refused.
std::string Play(std::string_view bytes, size_t piece_size, const RequestDecoder::Limits& limits) {
  std::string complete;
  while (!bytes.empty()) {
    Trace trace;
    RequestDecoder decoder(limits, trace);
    while (!bytes.empty() && !decoder.done()) {
      const std::string piece(bytes.substr(0, piece_size));
      const Result<size_t> taken = decoder.Decode(piece);
      if (!taken.ok()) {
        CHECK(taken.status().http_code() >= 400) << "a refusal without an answer";
        return complete;
      }
      CHECK(*taken <= piece.size() && (decoder.done() || *taken == piece.size()))
          << "bytes were lost";
      bytes.remove_prefix(*taken);
    }
    if (decoder.done()) {
      complete += trace.text + "\n";
    }
  }
  return complete;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1 || size > kMaxInput) {
    return 0;
  }
  const size_t piece_size = size_t{data[0]} + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const RequestDecoder::Limits roomy{.max_head_bytes = kMaxInput, .max_body_bytes = 100};
  CHECK(Play(bytes, kMaxInput, roomy) == Play(bytes, piece_size, roomy))
      << "the pieces made a difference";
  // How long a line may be before it is refused does depend on the pieces.
  (void)Play(bytes, piece_size, {.max_head_bytes = 64, .max_body_bytes = 10});
  return 0;
}
