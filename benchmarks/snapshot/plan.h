#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "stage.h"

namespace hearth::bench {

// How large and how long everything is.
struct Plan {
  Programs programs;
  std::string directory;  // on the disk to measure
  uint64_t mebibytes = 2048;
  uint64_t middle_mebibytes = 256;
  size_t rounds = 7;
  size_t small_files = 10000;
  size_t events = 100;

  static Plan Quick() {
    Plan plan;
    plan.mebibytes = 64;
    plan.middle_mebibytes = 16;
    plan.rounds = 1;
    plan.small_files = 200;
    plan.events = 5;
    return plan;
  }
};

inline constexpr int kZeroPercent = 57;
inline constexpr size_t kAtOnce = 4;

// Subjects by name.
inline constexpr const char* kSmall = "1 MiB";
inline constexpr const char* kMiddle = "middle";
inline constexpr const char* kLarge = "large";
inline constexpr const char* kMixed = "mixed";

}  // namespace hearth::bench
