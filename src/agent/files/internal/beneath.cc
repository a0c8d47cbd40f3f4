#include "agent/files/internal/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/files/file_entry.h"
#include "agent/files/path_list.h"

namespace hearth::agent::files {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kAttempts = 100;  // the kernel asks for another one while something is renamed

}  // namespace

UniqueFd OpenBeneath(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  const char* const name = path.empty() ? "." : path.c_str();
  int fd = -1;
  for (int i = 0; i < kAttempts; ++i) {
    fd = static_cast<int>(::syscall(SYS_openat2, root, name, &how, sizeof(how)));
    if (fd >= 0 || errno != EAGAIN) {
      break;
    }
  }
  return UniqueFd(fd);
}

Result<std::optional<UniqueFd>> OpenDirectoryBeneath(int root, const std::string& path) {
  UniqueFd fd = OpenBeneath(root, path, kDirectory);
  if (fd.valid()) {
    return std::optional(std::move(fd));
  }
  if (errno == EXDEV) {
    return std::optional<UniqueFd>();
  }
  return Status::FromErrno(errno, "cannot open the directory " + ShownPath(path));
}

Result<std::optional<UniqueFd>> MakeDirectoryBeneath(int root, const std::string& path) {
  Result<std::optional<UniqueFd>> opened = OpenDirectoryBeneath(root, path);
  if (path.empty() || !opened.status().Is(Code::kNotFound)) {
    return opened;
  }
  const PlacedName place = SplitPath(path);
  ASSIGN_OR_RETURN(const std::optional<UniqueFd> parent, MakeDirectoryBeneath(root, place.parent));
  if (!parent) {
    return std::optional<UniqueFd>();
  }
  if (::mkdirat(parent->get(), place.name.c_str(), 0755) != 0 && errno != EEXIST) {
    return Status::FromErrno(errno, "cannot make the directory " + ShownPath(path));
  }
  return OpenDirectoryBeneath(root, path);
}

Result<std::optional<NamedFile>> Look(int directory, const std::string& name) {
  struct statx found {};
  constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (::statx(directory, name.c_str(), kFlags, STATX_BASIC_STATS, &found) != 0) {
    if (errno == ENOENT) {
      return std::optional<NamedFile>();
    }
    return Status::FromErrno(errno, "cannot look at it");
  }
  NamedFile file;
  file.stat.st_mode = found.stx_mode;
  file.stat.st_uid = found.stx_uid;
  file.stat.st_gid = found.stx_gid;
  file.stat.st_nlink = found.stx_nlink;
  file.stat.st_size = static_cast<off_t>(found.stx_size);
  file.stat.st_dev = ::makedev(found.stx_dev_major, found.stx_dev_minor);
  file.stat.st_ino = found.stx_ino;
  file.stat.st_rdev = ::makedev(found.stx_rdev_major, found.stx_rdev_minor);
  file.stat.st_mtim = {.tv_sec = found.stx_mtime.tv_sec, .tv_nsec = found.stx_mtime.tv_nsec};
  file.mount_root = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return std::optional(file);
}

}  // namespace hearth::agent::files
