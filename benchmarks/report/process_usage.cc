#include "process_usage.h"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace hearth::bench {

Result<Memory> MemoryOf(int pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  Memory memory;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kibibytes = 0;
    words >> name >> kibibytes;
    if (name == "VmRSS:") {
      memory.resident_bytes = kibibytes * 1024;
    } else if (name == "VmHWM:") {
      memory.peak_bytes = kibibytes * 1024;
    }
  }
  return memory.resident_bytes > 0 ? Result<Memory>(memory)
                                   : UnavailableError("has no memory: it has ended");
}

Result<double> CpuSecondsOf(int pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return UnavailableError("has no CPU time: it has ended");
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace hearth::bench
