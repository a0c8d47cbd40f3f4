#include "agent/host/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

bool UsedByPrograms(std::string_view feature, std::string_view architecture) {
  constexpr std::array<std::string_view, 20> kExact = {
      "fma",  "bmi1", "bmi2",  "aes",   "pclmulqdq", "popcnt", "f16c",   "rdrand", "rdseed", "adx",
      "vaes", "gfni", "movbe", "xsave", "xsavec",    "erms",   "rdtscp", "abm",    "sha_ni", "rtm"};
  if (architecture != "x86_64") {
    return true;
  }
  return feature.starts_with("sse") || feature.starts_with("ssse") || feature.starts_with("avx") ||
         feature.starts_with("amx") ||
         std::find(kExact.begin(), kExact.end(), feature) != kExact.end();
}

}  // namespace

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

std::vector<std::string> MissingFeatures(const std::vector<std::string>& there,
                                         std::string_view architecture,
                                         const std::vector<std::string>& here) {
  std::vector<std::string> missing;
  for (const std::string& feature : there) {
    if (UsedByPrograms(feature, architecture) &&
        std::find(here.begin(), here.end(), feature) == here.end()) {
      missing.push_back(feature);
    }
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

}  // namespace hearth::agent
