#include "base/seeded_hash.h"

#include <sys/random.h>

#include <bit>
#include <cstring>

#include "base/check.h"

namespace hearth {
namespace {

struct State {
  uint64_t v0;
  uint64_t v1;
  uint64_t v2;
  uint64_t v3;

  template <int kRounds>
  void Mix() {
    for (int i = 0; i < kRounds; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }

  template <int kRounds>
  void Take(uint64_t word) {
    v3 ^= word;
    Mix<kRounds>();
    v0 ^= word;
  }
};

static_assert(std::endian::native == std::endian::little);

uint64_t Word(std::string_view bytes) {
  uint64_t word = 0;
  if (!bytes.empty()) {  // whose data may be null
    std::memcpy(&word, bytes.data(), bytes.size());
  }
  return word;
}

SipKey DrawKey() {
  SipKey key;
  CHECK(::getrandom(&key, sizeof(key), 0) == static_cast<ssize_t>(sizeof(key)))
      << "no random numbers from the kernel";
  return key;
}

}  // namespace

template <int kRoundsPerWord, int kRoundsAtEnd>
uint64_t SipHash(std::string_view bytes, const SipKey& key) {
  State state{key.low ^ 0x736f6d6570736575U, key.high ^ 0x646f72616e646f6dU,
              key.low ^ 0x6c7967656e657261U, key.high ^ 0x7465646279746573U};
  const uint64_t length = bytes.size();
  for (; bytes.size() >= sizeof(uint64_t); bytes.remove_prefix(sizeof(uint64_t))) {
    state.Take<kRoundsPerWord>(Word(bytes.substr(0, sizeof(uint64_t))));
  }
  state.Take<kRoundsPerWord>(Word(bytes) | length << 56);
  state.v2 ^= 0xff;
  state.Mix<kRoundsAtEnd>();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

template uint64_t SipHash<2, 4>(std::string_view bytes, const SipKey& key);

size_t SeededHash::operator()(std::string_view name) const {
  static const SipKey key = DrawKey();
  return SipHash<1, 3>(name, key);
}

}  // namespace hearth
