#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::disk {

// XXH3-128 of some bytes: finds damage, not malice. As text: 32 lower-case hex digits, high half
// first.
struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  std::string Hex() const;
  static std::optional<Digest> FromHex(std::string_view text);

  friend bool operator==(const Digest&, const Digest&) = default;
};

Digest DigestOf(std::string_view bytes);
// Whether there is nothing but zeros; looks no further than the first other byte.
bool AllZero(std::string_view bytes);

}  // namespace hearth::disk
