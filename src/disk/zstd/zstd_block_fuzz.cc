#include <cstdlib>
#include <string_view>
#include <vector>

#include "disk/zstd/block.h"

// Storage is shared: anybody may have written there.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kRoom = 64 << 10;
  constexpr char kMark = 'm';
  std::vector<char> room(kRoom + 1, kMark);
  static_cast<void>(hearth::disk::zstd::Expander().Expand(
      {reinterpret_cast<const char*>(data), size}, std::span(room.data(), kRoom)));
  if (room.back() != kMark) {
    std::abort();
  }
  return 0;
}
