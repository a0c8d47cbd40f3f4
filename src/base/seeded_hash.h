#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

// Hash tables for names that others wrote. A table whose hash is known can be filled with keys that
// all fall into one place, and every look into it then reads all of them; here nobody outside can
// tell which keys those are.
namespace hearth {

struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;
};

// SipHash: as good as random to whoever does not know the key.
template <int kRoundsPerWord, int kRoundsAtEnd>
uint64_t SipHash(std::string_view bytes, const SipKey& key);

// With a key that the process draws from the kernel when it is first needed: never the same in
// another process, so it is nothing to be stored, and the order of such a table means nothing.
struct SeededHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const;
};

// Key: std::string, std::string_view. Both are found by views.
template <typename Key, typename Mapped>
using SeededMap = std::unordered_map<Key, Mapped, SeededHash, std::equal_to<>>;
template <typename Key>
using SeededSet = std::unordered_set<Key, SeededHash, std::equal_to<>>;

}  // namespace hearth
