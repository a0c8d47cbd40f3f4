#include "snapshot/artifact/internal/owner_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/strings.h"

namespace hearth::snapshot::internal {
namespace {

constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
constexpr uint64_t kLongestOwner = 4096;
constexpr Duration kRest = std::chrono::hours(24);

// Another one with each start of a machine, and the same in all of its containers.
Result<std::string> ThisKernel() {
  ASSIGN_OR_RETURN(const std::string text, RealFileSystem().Read(kBootId, kLongestOwner));
  return std::string(Trim(text));
}

// By its name, for what is gone while we look rests for ever.
WallTime ChangedAt(FileSystem& files, const std::string& path) {
  const auto info = files.Stat(path);
  return info.ok() ? info->modified : WallTime();
}

bool Rests(FileSystem& files, const std::string& staged) {
  WallTime last = std::max(ChangedAt(files, staged), ChangedAt(files, OwnerFileOf(staged)));
  if (const auto names = files.List(staged); names.ok()) {
    for (const std::string& name : *names) {
      last = std::max(last, ChangedAt(files, staged + "/" + name));
    }
  }
  return RealClock().WallNow() - last > kRest;
}

}  // namespace

Result<disk::OwnerLock> TakeOwnership(const std::string& staged) {
  ASSIGN_OR_RETURN(disk::OwnerLock owner, disk::OwnerLock::Take(OwnerFileOf(staged)));
  ASSIGN_OR_RETURN(const std::string kernel, ThisKernel());
  const std::string line = kernel + "\n";
  if (::pwrite(owner.fd(), line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    return Status::FromErrno(errno, "write " + OwnerFileOf(staged));
  }
  return owner;
}

Result<disk::OwnerLock> TakeAbandoned(FileSystem& files, const std::string& staged) {
  const std::string path = OwnerFileOf(staged);
  ASSIGN_OR_RETURN(disk::OwnerLock owner, disk::OwnerLock::TryTakeExisting(path));
  ASSIGN_OR_RETURN(const std::string kernel, ThisKernel());
  const auto made_on = files.Read(path, kLongestOwner);
  if (!(made_on.ok() && Trim(*made_on) == kernel) && !Rests(files, staged)) {
    return ConflictError(staged + " was made on another node, which may still work on it");
  }
  return owner;
}

}  // namespace hearth::snapshot::internal
