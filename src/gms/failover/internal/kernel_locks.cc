#include "gms/failover/internal/kernel_locks.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <charconv>
#include <vector>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::gms::internal {
namespace {

constexpr uint64_t kAllLocks = 16 << 20;

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word : Split(line, ' ')) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

// "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; those who wait have "->" after the number.
std::optional<pid_t> FindFlockTaker(std::string_view locks, std::string_view file) {
  for (std::string_view line : Split(locks, '\n')) {
    auto words = Words(line);
    if (words.size() < 6 || words[1] != "FLOCK" || words[3] != "WRITE" || words[5] != file) {
      continue;
    }
    pid_t pid = 0;
    auto [end, error] = std::from_chars(words[4].data(), words[4].data() + words[4].size(), pid);
    if (error == std::errc() && pid > 0) {
      return pid;
    }
  }
  return std::nullopt;
}

std::optional<pid_t> FlockTaker(int fd) {
  struct stat info {};
  auto locks = RealFileSystem().Read("/proc/locks", kAllLocks);
  if (!locks.ok() || ::fstat(fd, &info) != 0) {
    return std::nullopt;
  }
  return FindFlockTaker(
      *locks, fmt::format("{:02x}:{:02x}:{}", major(info.st_dev), minor(info.st_dev), info.st_ino));
}

}  // namespace hearth::gms::internal
