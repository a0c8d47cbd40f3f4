#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"

namespace hearth::disk {

struct Progress {
  std::string_view phase;  // "load"
  uint64_t done_bytes = 0;
  uint64_t total_bytes = 0;  // 0: not known yet
  Duration elapsed{};
};

// "load  [######----------]  37%  1.2/3.2 GiB  2.11 GB/s  1s left"
std::string ProgressBar(const Progress& progress);
// {"phase":"load","done_bytes":1,"total_bytes":2,"elapsed_ms":3,"bytes_per_second":4}
std::string ProgressJson(const Progress& progress);

enum class ProgressStyle : uint8_t { kNone, kBar, kJsonLines };
// A bar on a terminal, JSON lines elsewhere.
ProgressStyle StyleFor(int fd);

// Tells how far it is, again and again, from a thread of its own, until it goes; then once more.
class ProgressReporter {
 public:
  // `look` is asked from that thread. All must outlive it.
  ProgressReporter(std::ostream& out, ProgressStyle style, std::function<Progress()> look,
                   Clock& clock);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

 private:
  void Tell();

  std::ostream& out_;
  ProgressStyle style_;
  std::function<Progress()> look_;
  std::jthread thread_;
};

}  // namespace hearth::disk
