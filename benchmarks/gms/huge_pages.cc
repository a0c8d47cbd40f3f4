#include "huge_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <fstream>

#include "base/unique_fd.h"

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

// A virtual machine may have memory that nobody ever used, and gets it when it is touched first:
// once here, so that nobody who is measured waits for it.
void Touch(uint64_t bytes) {
  const UniqueFd fd(
      ::memfd_create("bench-touch", MFD_CLOEXEC | MFD_HUGETLB | (21U << MAP_HUGE_SHIFT)));
  static_cast<void>(::fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes / kPage * kPage)));
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
  Touch(bytes);
  return reserved;
}

HugePages::~HugePages() {
  if (before_ >= 0) {
    Write(before_);
  }
}

}  // namespace hearth::bench
