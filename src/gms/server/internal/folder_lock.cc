#include "gms/server/internal/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "base/clock.h"

namespace hearth::gms::server {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(5);
constexpr int kLooks = 200;

}  // namespace

void FolderLocks::Hold(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const auto [entry, added] = folders_.try_emplace(parent);
  if (!added) {
    return;
  }
  UniqueFd& folder = entry->second;
  folder.reset(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; folder.valid() && i < kLooks; ++i) {
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
      break;
    }
    SleepFor(RealClock(), kLook, {});
  }
}

}  // namespace hearth::gms::server
