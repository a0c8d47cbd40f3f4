#include "base/random.h"

#include <sys/random.h>

#include "base/check.h"

namespace hearth {

Random Random::Seeded() {
  uint64_t seed = 0;
  CHECK(::getentropy(&seed, sizeof seed) == 0) << "the kernel gives no random bytes";
  return Random(seed);
}

// splitmix64: a counter with an odd step, mixed.
uint64_t Random::Next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double Random::NextDouble() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

uint64_t Random::Below(uint64_t bound) {
  CHECK(bound > 0);
  // The lowest 2^64 mod bound values would make small results likelier than others: draw again.
  const uint64_t rejected = -bound % bound;
  uint64_t x = Next();
  while (x < rejected) {
    x = Next();
  }
  return x % bound;
}

}  // namespace hearth
