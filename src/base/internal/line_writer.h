#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace hearth::internal {

// Writes log lines to a descriptor that somebody else reads, without ever waiting for them for
// long: a reader that stalls must not stall the program. A line that finds no room within a moment
// is lost; once there is room again, the next line comes after one that says how many were. A
// reader that is gone ends nothing: no SIGPIPE. The descriptor stays the caller's. Not thread-safe.
class LineWriter {
 public:
  // The longest wait for room. Waited once: while no line gets through, the next ones do not wait.
  static constexpr Duration kMoment = std::chrono::milliseconds(50);

  explicit LineWriter(int fd) : fd_(fd) {}

  // `line` ends with a newline.
  void Write(std::string_view line);

 private:
  bool WriteWhole(std::string_view line, Duration patience);

  int fd_;
  uint64_t lost_ = 0;
  bool in_line_ = false;  // only the beginning of a line got through
};

}  // namespace hearth::internal
