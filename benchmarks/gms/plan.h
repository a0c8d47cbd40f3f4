#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hearth::bench {

// How large and how long everything is.
struct Plan {
  std::string gms_server;  // the program
  std::string directory;   // on the disk to measure
  uint64_t bytes = 2ULL << 30;
  size_t rounds = 7;
  size_t tail_loads = 100;  // whose slowest are compared with the median, in each round
  uint64_t tail_bytes = 256ULL << 20;
  size_t calls = 2000;  // of one request, in each round
  size_t attaches = 5;  // in each round
  size_t starts = 5;
  size_t kills = 25;
  size_t failovers = 3;
  uint64_t writer_bytes = 256ULL << 20;  // that a killed writer had

  static Plan Quick() {
    Plan plan;
    plan.bytes = 256ULL << 20;
    plan.rounds = 1;
    plan.tail_loads = 5;
    plan.tail_bytes = 128ULL << 20;
    plan.calls = 100;
    plan.attaches = plan.starts = plan.failovers = 1;
    plan.kills = 3;
    plan.writer_bytes = 32ULL << 20;
    return plan;
  }
};

inline constexpr size_t kAllocationsUsual = 59;  // of a model
inline constexpr size_t kAllocationsMany = 3435;
inline constexpr size_t kReaders = 32;  // at once

}  // namespace hearth::bench
