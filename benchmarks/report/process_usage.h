#pragma once

#include "base/result.h"

// What a process uses, read from outside by its id. kUnavailable when it has ended.
namespace hearth::bench {

struct Memory {
  double resident_bytes = 0;
  double peak_bytes = 0;
};
Result<Memory> MemoryOf(int pid);
Result<double> CpuSecondsOf(int pid);

}  // namespace hearth::bench
