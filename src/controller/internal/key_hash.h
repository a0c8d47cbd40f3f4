#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "kube/model/names.h"

namespace hearth::controller::internal {

// Half of a look-up in the queue's table would be the call of a general hash; names are short, so a
// folded multiplication per sixteen bytes, in line, does. Only for tables in memory.
inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <typename Word>
uint64_t LoadWord(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline uint64_t HashText(std::string_view text, uint64_t seed) {
  constexpr uint64_t kOdd = 0xd1342543de82ef95;
  const char* at = text.data();
  size_t left = text.size();
  for (; left > 16; at += 16, left -= 16) {
    seed = FoldedProduct(LoadWord<uint64_t>(at) ^ kOdd, LoadWord<uint64_t>(at + 8) ^ seed);
  }
  uint64_t low = 0;
  uint64_t high = 0;
  // The two words may overlap; the length tells such texts apart.
  if (left >= 8) {
    low = LoadWord<uint64_t>(at);
    high = LoadWord<uint64_t>(at + left - 8);
  } else if (left >= 4) {
    low = LoadWord<uint32_t>(at);
    high = LoadWord<uint32_t>(at + left - 4);
  } else if (left > 0) {
    low = static_cast<uint8_t>(at[0]);
    high = static_cast<uint64_t>(static_cast<uint8_t>(at[left / 2])) << 8 |
           static_cast<uint8_t>(at[left - 1]);
  }
  seed = FoldedProduct(low ^ kOdd, high ^ seed);
  return FoldedProduct(seed ^ text.size(), kOdd);
}

inline uint64_t HashKey(const kube::ObjectKey& key, uint64_t seed) {
  return HashText(key.name, HashText(key.name_space, seed));
}

}  // namespace hearth::controller::internal
