#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace hearth::bench {

// kMade: a piece of memory that was made for this call, as every allocation needs one; the maker
// keeps it.
enum class BareMemory : uint8_t { kTheSame, kMade };

// Seconds of each of so many round trips to another process: 64 bytes there, 64 bytes and one
// descriptor back, which is closed. What no service can be faster than.
Result<std::vector<double>> MeasureBareCalls(size_t calls, BareMemory memory);

// Seconds from the SIGKILL of a process with so many bytes of memory to the end of both: its socket
// has hung up, and the memory, whose descriptor only we still hold, is given back.
Result<double> MeasureHangUpAndFree(uint64_t bytes);

}  // namespace hearth::bench
