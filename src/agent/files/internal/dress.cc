#include "agent/files/internal/dress.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "agent/files/internal/xattrs.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {
namespace {

mode_t TypeOf(FileKind kind) {
  switch (kind) {
    case FileKind::kDirectory:
      return S_IFDIR;
    case FileKind::kSymlink:
      return S_IFLNK;
    case FileKind::kFifo:
      return S_IFIFO;
    case FileKind::kCharacterDevice:
      return S_IFCHR;
    case FileKind::kBlockDevice:
      return S_IFBLK;
    case FileKind::kRegular:
    case FileKind::kHardLink:
      break;
  }
  return S_IFREG;
}

// By way of a descriptor that opens nothing: the name may lead elsewhere by now.
Status ChangeMode(int directory, const std::string& name, uint32_t mode) {
  const UniqueFd file(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  if (!file.valid() || ::chmod(path.c_str(), mode) != 0) {
    return Status::FromErrno(errno, "cannot set its permissions");
  }
  return Status::Ok();
}

}  // namespace

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Status DressOpen(int fd, const FileEntry& entry) {
  if (::fchown(fd, entry.uid, entry.gid) != 0) {
    return Status::FromErrno(errno, "cannot set its owner");
  }
  if (::fchmod(fd, entry.mode) != 0) {
    return Status::FromErrno(errno, "cannot set its permissions");
  }
  RETURN_IF_ERROR(ChangeXattrs(XattrPlace::Of(fd), entry.xattrs));
  const std::array<timespec, 2> times = {entry.accessed, entry.modified};
  if (::futimens(fd, times.data()) != 0) {
    return Status::FromErrno(errno, "cannot set its times");
  }
  return Status::Ok();
}

Status DressNamed(int directory, const std::string& name, const FileEntry& entry) {
  if (::fchownat(directory, name.c_str(), entry.uid, entry.gid, AT_SYMLINK_NOFOLLOW) != 0) {
    return Status::FromErrno(errno, "cannot set its owner");
  }
  if (entry.kind != FileKind::kSymlink) {
    RETURN_IF_ERROR(ChangeMode(directory, name, entry.mode));
  }
  RETURN_IF_ERROR(ChangeXattrs(XattrPlace::Of(directory, name), entry.xattrs));
  const std::array<timespec, 2> times = {entry.accessed, entry.modified};
  if (::utimensat(directory, name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    return Status::FromErrno(errno, "cannot set its times");
  }
  return Status::Ok();
}

bool SameFacts(const struct stat& stat, const FileEntry& entry) {
  const bool is_device =
      entry.kind == FileKind::kCharacterDevice || entry.kind == FileKind::kBlockDevice;
  return (stat.st_mode & S_IFMT) == TypeOf(entry.kind) && stat.st_uid == entry.uid &&
         stat.st_gid == entry.gid && SameTime(stat.st_mtim, entry.modified) &&
         (entry.kind == FileKind::kSymlink || (stat.st_mode & 07777) == entry.mode) &&
         (entry.kind != FileKind::kRegular || static_cast<uint64_t>(stat.st_size) == entry.size) &&
         (!is_device || stat.st_rdev == ::makedev(entry.device_major, entry.device_minor));
}

}  // namespace hearth::agent::files
