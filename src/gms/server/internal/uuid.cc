#include <sys/random.h>

#include <array>
#include <cstdint>

#include "base/check.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

namespace {

using RandomBytes = std::array<uint8_t, 16>;

// The kernel is asked for many at once; each is used once.
RandomBytes NextRandomBytes() {
  constexpr size_t kAtOnce = 16;  // 256 bytes: as much as getrandom gives without a break
  thread_local std::array<RandomBytes, kAtOnce> ahead;
  thread_local size_t left = 0;
  if (left == 0) {
    CHECK(::getrandom(ahead.data(), sizeof(ahead), 0) == static_cast<ssize_t>(sizeof(ahead)));
    left = kAtOnce;
  }
  return ahead[--left];
}

}  // namespace

std::string NewUuid() {
  RandomBytes bytes = NextRandomBytes();
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text.push_back('-');
    }
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

}  // namespace hearth::gms::server
