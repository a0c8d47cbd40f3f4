// The client's view of arbitrary bytes from a server, in pieces of arbitrary sizes: never crashes,
// never reads outside what it was given, and the pieces make no difference.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/internal/inflater.h"
#include "http/internal/response_decoder.h"

namespace {

using hearth::Status;
using hearth::http::Inflater;
using hearth::http::Response;
using hearth::http::ResponseDecoder;

// Everything that can be told apart from outside.
struct Trace : ResponseDecoder::Sink {
  void OnHead(Response head) override {
    text += std::to_string(head.status);
    for (const auto& [name, value] : head.headers.fields()) {
      text += "|" + name + "=" + value;
    }
    text += "\n";
  }
  void OnBody(std::string_view bytes, size_t readable) override {
    CHECK(readable >= bytes.size() && !bytes.empty()) << "a piece of body outside its memory";
    body.append(bytes);
  }

  std::string text;
  std::string body;
};

constexpr size_t kMaxInput = 4096;

std::string Play(std::string_view bytes, size_t piece_size,
                 const ResponseDecoder::Options& options) {
  Trace trace;
  ResponseDecoder decoder(options, trace);
  Status status;
  for (size_t at = 0; at < bytes.size() && status.ok() && !decoder.done(); at += piece_size) {
    const std::string piece(bytes.substr(at, piece_size));
    status = decoder.Decode(piece, piece.size());
  }
  if (status.ok()) {
    status = decoder.DecodeEnd(true);
  }
  // Where an error is found may depend on the pieces, that there is one may not.
  return status.ok() ? trace.text + trace.body : "refused";
}

void Inflate(std::string_view bytes) {
  constexpr size_t kEnough = 1 << 20;
  Inflater inflater;
  inflater.SetInput(bytes);
  for (size_t total = 0; inflater.has_input() && total < kEnough;) {
    const auto piece = inflater.Pull();
    if (!piece.ok()) {
      return;
    }
    total += piece->size() + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > kMaxInput) {
    return 0;
  }
  const bool answers_head = (data[0] & 1) != 0;
  const size_t piece_size = size_t{data[1]} + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const ResponseDecoder::Options roomy{.max_head_bytes = kMaxInput, .answers_head = answers_head};
  CHECK(Play(bytes, kMaxInput, roomy) == Play(bytes, piece_size, roomy))
      << "the pieces made a difference";
  // How long a line may be before it is refused does depend on the pieces.
  (void)Play(bytes, piece_size, {.max_head_bytes = 64, .answers_head = answers_head});
  Inflate(bytes);
  return 0;
}
