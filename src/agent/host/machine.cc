#include "agent/host/machine.h"

#include <sys/utsname.h>

#include <algorithm>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::agent {

void ReadProcessor(std::string_view cpuinfo, Machine& machine) {
  for (const std::string_view line : Split(cpuinfo, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      if (!machine.cpu_features.empty()) {
        break;  // the next processor
      }
      continue;
    }
    const std::string_view name = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (name == "model name") {
      machine.cpu_model = value;
    } else if (name == "flags" || name == "Features") {
      for (const std::string_view feature : Split(value, ' ')) {
        if (!feature.empty()) {
          machine.cpu_features.emplace_back(feature);
        }
      }
    }
  }
  std::sort(machine.cpu_features.begin(), machine.cpu_features.end());
}

Machine ThisMachine(const std::string& proc) {
  constexpr uint64_t kLargest = 16ULL << 20;
  Machine machine;
  utsname names{};
  if (::uname(&names) == 0) {
    machine.kernel = names.release;
    machine.architecture = names.machine;
  }
  ReadProcessor(RealFileSystem().Read(proc + "/cpuinfo", kLargest).value_or(""), machine);
  return machine;
}

}  // namespace hearth::agent
