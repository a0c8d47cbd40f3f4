#pragma once

#include <cstdint>

namespace hearth {

// A small fast generator (splitmix64) for jitter and names; not for secrets. Not thread-safe.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  static Random Seeded();  // from the kernel

  uint64_t Next();
  double NextDouble();             // [0, 1)
  uint64_t Below(uint64_t bound);  // [0, bound); bound > 0

 private:
  uint64_t state_;
};

}  // namespace hearth
