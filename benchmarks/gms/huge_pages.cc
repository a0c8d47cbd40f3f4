#include "huge_pages.h"

#include <fmt/format.h>

#include <fstream>

namespace hearth::bench {
namespace {

constexpr const char* kSetting = "/proc/sys/vm/nr_hugepages";
constexpr uint64_t kPage = 2ULL << 20;

int64_t Read() {
  int64_t pages = -1;
  std::ifstream(kSetting) >> pages;
  return pages;
}

bool Write(int64_t pages) {
  std::ofstream file(kSetting);
  file << pages;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

Result<HugePages> HugePages::Reserve(uint64_t bytes) {
  const int64_t before = Read();
  if (before < 0) {
    return UnavailableError("the kernel has no huge pages");
  }
  HugePages reserved(before);
  const auto wanted = static_cast<int64_t>((bytes + kPage - 1) / kPage);
  // Memory in large pieces is easier found once caches are dropped and memory is compacted.
  std::ofstream("/proc/sys/vm/compact_memory") << 1;
  if (!Write(before + wanted) || Read() < before + wanted) {
    return UnavailableError(fmt::format("{} of {} huge pages can be reserved",
                                        std::max<int64_t>(Read() - before, 0), wanted));
  }
  return reserved;
}

HugePages::~HugePages() {
  if (before_ >= 0) {
    Write(before_);
  }
}

}  // namespace hearth::bench
