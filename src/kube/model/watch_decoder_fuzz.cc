#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "kube/model/watch_decoder.h"

namespace {

struct Outcome {
  std::vector<std::string> events;
  hearth::Code end = hearth::Code::kOk;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr size_t kMaxEventBytes = 512;

// `next` says how many bytes the next piece may have at most.
template <typename Next>
Outcome Decode(std::string_view text, Next next) {
  Outcome outcome;
  hearth::kube::WatchDecoder decoder(
      [&](hearth::kube::WatchEventType type, std::string_view object, size_t capacity) {
        CHECK(capacity >= object.size());
        outcome.events.push_back(std::to_string(static_cast<int>(type)) + std::string(object));
        return hearth::Status::Ok();
      },
      kMaxEventBytes);
  hearth::Status status;
  while (status.ok() && !text.empty()) {
    const std::vector<char> piece(text.begin(), text.begin() + std::min(text.size(), next()));
    status = decoder.Feed({piece.data(), piece.size()}, piece.size());
    text.remove_prefix(piece.size());
  }
  outcome.end = status.ok() ? decoder.Finish().code() : status.code();
  return outcome;
}

}  // namespace

// However the bytes are cut, the same events come out and it ends the same way.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Decode(text, [&] { return text.size(); });
  hearth::Random random(size);
  CHECK(Decode(text, [&] { return size_t{1} + random.Below(40); }) == whole);
  CHECK(Decode(text, [&] { return size_t{1}; }) == whole);
  return 0;
}
