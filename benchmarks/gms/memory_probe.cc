#include "memory_probe.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "base/unique_fd.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

// Anonymous memory with all its pages; nothing when there is not enough.
class Block {
 public:
  explicit Block(uint64_t bytes) : bytes_(bytes) {
    address_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address_ != MAP_FAILED) {
      ::madvise(address_, bytes, MADV_HUGEPAGE);
      std::memset(address_, 1, bytes);
    }
  }
  ~Block() {
    if (ok()) {
      ::munmap(address_, bytes_);
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  bool ok() const { return address_ != MAP_FAILED; }
  char* at(uint64_t offset) const { return static_cast<char*>(address_) + offset; }

 private:
  uint64_t bytes_;
  void* address_;
};

// A file or piece of memory in our addresses; nothing when it cannot be mapped.
class SharedMapping {
 public:
  SharedMapping(int fd, uint64_t bytes, int protection)
      : bytes_(bytes), address_(::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0)) {}
  ~SharedMapping() {
    if (ok()) {
      ::munmap(address_, bytes_);
    }
  }
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  bool ok() const { return address_ != MAP_FAILED; }
  char* at(uint64_t offset) const { return static_cast<char*>(address_) + offset; }

 private:
  uint64_t bytes_;
  void* address_;
};

double CpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

Result<double> MeasureMemcpy(uint64_t bytes) {
  const uint64_t half = std::min<uint64_t>(bytes, 1ULL << 30) / 2;
  const Block from(2 * half);
  const Block to(2 * half);
  if (!from.ok() || !to.ok()) {
    return ExhaustedError("no memory to copy");
  }
  const SteadyTime begin = RealClock().Now();
  {
    const std::jthread other([&] { std::memcpy(to.at(half), from.at(half), half); });
    std::memcpy(to.at(0), from.at(0), half);
  }
  return static_cast<double>(2 * half) / SecondsSince(begin);
}

Result<double> MeasureFreshCopy(const std::string& file, uint64_t bytes, bool huge) {
  const unsigned flags = MFD_CLOEXEC | (huge ? MFD_HUGETLB | (21U << MAP_HUGE_SHIFT) : 0);
  const SteadyTime begin = RealClock().Now();
  const UniqueFd source(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd target(::memfd_create("bench-copy", flags));
  if (!source.valid() || !target.valid() ||
      ::ftruncate(target.get(), static_cast<off_t>(bytes)) != 0) {
    return Status::FromErrno(errno, "make memory to copy to");
  }
  const SharedMapping from(source.get(), bytes, PROT_READ);
  const SharedMapping to(target.get(), bytes, PROT_READ | PROT_WRITE);
  if (!from.ok() || !to.ok()) {
    return ExhaustedError("no memory to copy to");
  }
  const uint64_t half = bytes / 2;
  {
    const std::jthread other([&] { std::memcpy(to.at(half), from.at(half), bytes - half); });
    std::memcpy(to.at(0), from.at(0), half);
  }
  return static_cast<double>(bytes) / SecondsSince(begin);
}

Result<double> MeasureClearingHugePages(uint64_t bytes) {
  const UniqueFd fd(
      ::memfd_create("bench-clear", MFD_CLOEXEC | MFD_HUGETLB | (21U << MAP_HUGE_SHIFT)));
  const double begin = CpuSeconds();
  if (!fd.valid() || ::fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes)) != 0) {
    return Status::FromErrno(errno, "get huge pages");
  }
  return CpuSeconds() - begin;
}

}  // namespace hearth::bench
