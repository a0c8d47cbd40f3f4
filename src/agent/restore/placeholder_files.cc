#include "agent/restore/placeholder_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace hearth::agent {

Result<UniqueFd> TakeDescriptor(int pidfd, int number) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd, number, 0)));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) {
    const std::string what = fmt::format("descriptor {} of the placeholder", number);
    return errno == EBADF ? NotFoundError(what + " is closed") : Status::FromErrno(errno, what);
  }
  if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) && !S_ISCHR(info.st_mode)) {
    return Status(Code::kPermissionDenied,
                  fmt::format("descriptor {} of the placeholder is neither a pipe nor a socket nor "
                              "a device: what is restored gets no other",
                              number));
  }
  return fd;
}

}  // namespace hearth::agent
