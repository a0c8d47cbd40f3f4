#include "disk/confined_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"

namespace hearth::disk {
namespace {

int OpenResolved(int directory, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how)));
}

// The same, part by part, where a sandbox does not know openat2.
int OpenByParts(int directory, const std::string& path, int flags) {
  UniqueFd current;
  int from = directory;
  size_t begin = 0;
  for (size_t slash = path.find('/'); slash != std::string::npos;
       begin = slash + 1, slash = path.find('/', begin)) {
    const std::string part = path.substr(begin, slash - begin);
    current.reset(::openat(from, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!current.valid()) {
      return -1;
    }
    from = current.get();
  }
  return ::openat(from, path.substr(begin).c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
}

Result<UniqueFd> Open(int directory, const std::string& path, int flags) {
  UniqueFd fd(OpenResolved(directory, path, flags));
  if (!fd.valid() && (errno == ENOSYS || errno == EPERM)) {
    fd.reset(OpenByParts(directory, path, flags));
  }
  if (!fd.valid() && (errno == ELOOP || errno == EXDEV)) {
    return InvalidError("open " + path + ": there is a symbolic link on the way, or it leads out");
  }
  if (!fd.valid()) {
    return Status::FromErrno(errno, "open " + path);
  }
  return fd;
}

}  // namespace

Result<UniqueFd> OpenDirectory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "open directory " + path);
  }
  return fd;
}

Result<UniqueFd> OpenDirectoryBelow(int directory, const std::string& path) {
  return Open(directory, path, O_RDONLY | O_DIRECTORY);
}

Result<UniqueFd> OpenFileBelow(int directory, const std::string& path, int flags) {
  // A named pipe in its place must not make us wait.
  ASSIGN_OR_RETURN(UniqueFd fd, Open(directory, path, flags | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return Status::FromErrno(errno, "look at " + path);
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidError(path + " is no regular file");
  }
  return fd;
}

Result<uint64_t> SizeOf(int fd, const std::string& name) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    return Status::FromErrno(errno, "look at " + name);
  }
  return static_cast<uint64_t>(info.st_size);
}

Result<std::string> ReadFileBelow(int directory, const std::string& path, uint64_t limit) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenFileBelow(directory, path, O_RDONLY));
  ASSIGN_OR_RETURN(const uint64_t size, SizeOf(fd.get(), path));
  if (size > limit) {
    return ExhaustedError(path + ": larger than the limit of " + std::to_string(limit) + " bytes");
  }
  std::string bytes(size, '\0');
  size_t had = 0;
  while (had < size) {
    const ssize_t got = ::pread(fd.get(), bytes.data() + had, size - had, static_cast<off_t>(had));
    if (got < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "read " + path);
    }
    if (got == 0) {
      return DataLossError(path + " became shorter while it was read");
    }
    had += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  return bytes;
}

}  // namespace hearth::disk
