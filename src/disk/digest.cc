#include "disk/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "disk/internal/wide_digest.h"

namespace hearth::disk {
namespace {

constexpr size_t kHalf = 16;  // hex digits

bool ReadHalf(std::string_view text, uint64_t& value) {
  // from_chars takes upper case, too; there is one way to write a digest.
  if (text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return false;
  }
  return std::from_chars(text.data(), text.data() + text.size(), value, 16).ec == std::errc();
}

}  // namespace

std::string Digest::Hex() const { return fmt::format("{:016x}{:016x}", high, low); }

std::optional<Digest> Digest::FromHex(std::string_view text) {
  Digest digest;
  if (text.size() != 2 * kHalf || !ReadHalf(text.substr(0, kHalf), digest.high) ||
      !ReadHalf(text.substr(kHalf), digest.low)) {
    return std::nullopt;
  }
  return digest;
}

Digest DigestOf(std::string_view bytes) {
  static const bool wide = HasWideRegisters();
  if (wide) {
    return WideDigestOf(bytes.data(), bytes.size());
  }
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

bool AllZero(std::string_view bytes) {
  constexpr size_t kStep = 64;
  static constexpr char kZeros[kStep] = {};
  const size_t head = std::min(bytes.size(), kStep);
  if (std::memcmp(bytes.data(), kZeros, head) != 0) {
    return false;
  }
  // Every byte equals the one a step before it, and the first step is zero.
  return bytes.size() <= kStep ||
         std::memcmp(bytes.data(), bytes.data() + kStep, bytes.size() - kStep) == 0;
}

}  // namespace hearth::disk
