#include "machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace hearth::bench {

std::string DescribeMachine() {
  utsname system{};
  ::uname(&system);
  std::string model = "unknown CPU";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  return fmt::format("{} CPUs ({}), Linux {}", ::sysconf(_SC_NPROCESSORS_ONLN), model,
                     system.release);
}

}  // namespace hearth::bench
