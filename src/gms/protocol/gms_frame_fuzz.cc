// The frames of a stream do not depend on how it was cut into pieces. The first byte says how.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "gms/protocol/frame.h"

namespace {

std::vector<std::string> Read(std::string_view stream, size_t piece, bool& failed) {
  hearth::gms::FrameReader reader(1U << 16);
  std::vector<std::string> frames;
  while (!stream.empty()) {
    const auto room = reader.Room();
    const size_t size = std::min({room.size(), stream.size(), piece});
    std::copy_n(stream.data(), size, room.data());
    reader.Filled(size);
    stream.remove_prefix(size);
    for (;;) {
      const auto next = reader.Next();
      if (!next.ok()) {
        failed = true;
        return frames;
      }
      if (!*next) {
        break;
      }
      frames.emplace_back(**next);
    }
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool whole_failed = false;
  bool pieces_failed = false;
  const auto whole = Read(stream, stream.size() + 1, whole_failed);
  const auto pieces = Read(stream, static_cast<size_t>(data[0]) + 1, pieces_failed);
  CHECK(whole == pieces && whole_failed == pieces_failed);
  return 0;
}
