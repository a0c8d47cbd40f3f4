#include "agent/host/control_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/random.h"

namespace hearth::agent {
namespace {

Result<UniqueFd> OpenConfined(int directory, const std::string& path, uint64_t flags,
                              uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.mode = (flags & O_CREAT) != 0 ? 0600 : 0;
  how.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how))));
  if (fd.valid()) {
    return fd;
  }
  if (errno == ELOOP || errno == EXDEV) {
    return Status(Code::kPermissionDenied,
                  fmt::format("{}: there is a link or a mount where a plain name belongs", path));
  }
  return Status::FromErrno(errno, path);
}

Status CheckName(std::string_view name) {
  return name.empty() || name.find('/') != std::string_view::npos || name == "." || name == ".."
             ? InvalidError(fmt::format("'{}' is not a file's name", name))
             : Status::Ok();
}

Status WriteAll(int fd, std::string_view bytes, mode_t mode) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "write");
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0 ? Status::Ok()
                                                     : Status::FromErrno(errno, "sync");
}

}  // namespace

Result<ControlDirectory> ControlDirectory::Open(const std::string& root, const std::string& path) {
  // /proc/PID/root is itself a link of the kernel's; only what is below it is the container's.
  UniqueFd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) {
    return Status::FromErrno(errno, root);
  }
  auto directory = OpenConfined(top.get(), path, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
  if (!directory.ok()) {
    return directory.status().WithContext(fmt::format("control directory in {}", root));
  }
  return ControlDirectory(*std::move(directory));
}

Result<ControlDirectory> ControlDirectory::Hold(int directory) {
  UniqueFd own(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own.valid()) {
    return Status::FromErrno(errno, "hold a directory");
  }
  return ControlDirectory(std::move(own));
}

Status ControlDirectory::Write(std::string_view name, std::string_view content, mode_t mode) {
  RETURN_IF_ERROR(CheckName(name));
  // One of our own: another of us may write the same.
  const std::string staged = fmt::format(".{}.{:016x}.tmp", name, Random::Seeded().Next());
  ASSIGN_OR_RETURN(const UniqueFd file, OpenConfined(directory_.get(), staged,
                                                     O_WRONLY | O_CREAT | O_EXCL, RESOLVE_BENEATH));
  Status status = WriteAll(file.get(), content, mode);
  if (status.ok() && ::renameat(directory_.get(), staged.c_str(), directory_.get(),
                                std::string(name).c_str()) != 0) {
    status = Status::FromErrno(errno, "rename");
  }
  if (status.ok() && ::fsync(directory_.get()) != 0) {
    status = Status::FromErrno(errno, "sync the directory");
  }
  if (!status.ok()) {
    ::unlinkat(directory_.get(), staged.c_str(), 0);
    return status.WithContext(fmt::format("control file {}", name));
  }
  return Status::Ok();
}

Status ControlDirectory::Remove(std::string_view name) {
  RETURN_IF_ERROR(CheckName(name));
  if (::unlinkat(directory_.get(), std::string(name).c_str(), 0) != 0 && errno != ENOENT) {
    return Status::FromErrno(errno, fmt::format("remove control file {}", name));
  }
  return Status::Ok();
}

Result<std::string> ControlDirectory::Read(std::string_view name, size_t limit) const {
  RETURN_IF_ERROR(CheckName(name));
  // Non-blocking: a pipe that nobody writes to must not hold us.
  ASSIGN_OR_RETURN(const UniqueFd file, OpenConfined(directory_.get(), std::string(name),
                                                     O_RDONLY | O_NONBLOCK, RESOLVE_BENEATH));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Status(Code::kPermissionDenied, fmt::format("control file {} is not a file", name));
  }
  std::string bytes(limit + 1, '\0');
  size_t size = 0;
  for (ssize_t count = 1; count > 0 && size < bytes.size(); size += static_cast<size_t>(count)) {
    count = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0) {
      return Status::FromErrno(errno, fmt::format("read control file {}", name));
    }
  }
  if (size > limit) {
    return Status(Code::kExhausted,
                  fmt::format("control file {} has more than {} bytes", name, limit));
  }
  bytes.resize(size);
  return bytes;
}

Result<bool> ControlDirectory::Has(std::string_view name) const {
  RETURN_IF_ERROR(CheckName(name));
  struct stat info {};
  if (::fstatat(directory_.get(), std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return S_ISREG(info.st_mode);
  }
  return errno == ENOENT ? Result<bool>(false) : Status::FromErrno(errno, std::string(name));
}

}  // namespace hearth::agent
