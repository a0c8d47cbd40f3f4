#include "disk/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace hearth::disk {
namespace {

Result<UniqueFd> OpenLockFile(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0644));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "open " + path);
  }
  return fd;
}

Result<bool> IsLinked(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    return Status::FromErrno(errno, "stat " + path);
  }
  return info.st_nlink > 0;
}

}  // namespace

Result<OwnerLock> OwnerLock::Take(const std::string& path) {
  while (true) {
    ASSIGN_OR_RETURN(UniqueFd fd, OpenLockFile(path, O_CREAT));
    while (::flock(fd.get(), LOCK_EX) != 0) {
      if (errno != EINTR) {
        return Status::FromErrno(errno, "lock " + path);
      }
    }
    // Who held it may have removed it: a lock on a file that nobody finds keeps nobody away.
    ASSIGN_OR_RETURN(const bool there, IsLinked(fd.get(), path));
    if (there) {
      return OwnerLock(std::move(fd));
    }
  }
}

Result<OwnerLock> OwnerLock::TryTakeExisting(const std::string& path) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenLockFile(path, 0));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? ConflictError(path + " is held by another process")
                                : Status::FromErrno(errno, "lock " + path);
  }
  ASSIGN_OR_RETURN(const bool there, IsLinked(fd.get(), path));
  return there ? Result<OwnerLock>(OwnerLock(std::move(fd)))
               : NotFoundError(path + " was removed meanwhile");
}

}  // namespace hearth::disk
