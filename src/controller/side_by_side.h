#pragma once

#include <cstddef>
#include <functional>

namespace hearth::controller {

// How many writes of one pass are under way at a time.
inline constexpr size_t kWritesAtOnce = 16;

// Calls `work` for 0 .. count-1, at most `at_once` at a time, and returns when all have ended. They
// begin in order. One alone, or none beside it, runs on the caller's thread. What one of them
// throws is thrown here when the others under way have ended; no more begin.
void SideBySide(size_t count, const std::function<void(size_t index)>& work,
                size_t at_once = kWritesAtOnce);

}  // namespace hearth::controller
