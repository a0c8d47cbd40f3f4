#include "snapshot/ctl/internal/staged_bytes.h"

#include <sys/stat.h>

#include <filesystem>

namespace hearth::snapshot::ctl {

namespace fs = std::filesystem;

uint64_t StagedBytes(const std::string& folder) {
  constexpr uint64_t kBlock = 512;  // of stat, whatever the file system's are
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    struct stat info {};
    if (::lstat(file->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      bytes += static_cast<uint64_t>(info.st_blocks) * kBlock;
    }
  }
  return bytes;
}

}  // namespace hearth::snapshot::ctl
