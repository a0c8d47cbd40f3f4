#include "base/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/unique_fd.h"

namespace hearth {
namespace {

constexpr uint32_t kModeBits = 07777;
constexpr size_t kReadChunk = 64 << 10;

Status Failed(std::string_view verb, const std::string& path, int error = errno) {
  return Status::FromErrno(error, std::string(verb) + " " + path);
}

Result<UniqueFd> Open(std::string_view verb, const std::string& path, int flags,
                      uint32_t mode = 0) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!fd.valid()) {
    return Failed(verb, path);
  }
  return fd;
}

// Reads at most `size` bytes, fewer only at the end of the file.
Result<std::string> ReadUpTo(const UniqueFd& fd, const std::string& path, uint64_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const size_t had = bytes.size();
    bytes.resize(had + std::min<uint64_t>(kReadChunk, size - had));
    const ssize_t got = ::read(fd.get(), bytes.data() + had, bytes.size() - had);
    if (got < 0 && errno != EINTR) {
      return Failed("read", path);
    }
    bytes.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
      break;
    }
  }
  return bytes;
}

Status WriteAll(const UniqueFd& fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd.get(), bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) {
      return Failed("write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(put, 0)));
  }
  return {};
}

// open() applies the umask, and leaves the mode of a file that was there.
Status SetMode(const UniqueFd& fd, const std::string& path, uint32_t mode) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return Failed("write", path);
  }
  const bool same = (info.st_mode & kModeBits) == mode;
  if (!S_ISREG(info.st_mode) || same || ::fchmod(fd.get(), mode) == 0) {
    return {};
  }
  return Failed("set the mode of", path);
}

WallTime ToWallTime(const timespec& time) {
  return WallTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

class KernelFileSystem : public FileSystem {
 public:
  Result<std::string> Read(const std::string& path, uint64_t limit) override {
    ASSIGN_OR_RETURN(UniqueFd fd, Open("read", path, O_RDONLY));
    // One byte more than allowed tells "just fits" from "too large", also where the size is not
    // known before, as in /proc.
    const uint64_t ask = limit == UINT64_MAX ? limit : limit + 1;
    ASSIGN_OR_RETURN(std::string bytes, ReadUpTo(fd, path, ask));
    if (bytes.size() > limit) {
      return ExhaustedError("read " + path + ": larger than the limit of " + std::to_string(limit) +
                            " bytes");
    }
    return bytes;
  }

  Status Write(const std::string& path, std::string_view bytes, uint32_t mode) override {
    ASSIGN_OR_RETURN(UniqueFd fd, Open("write", path, O_WRONLY | O_CREAT | O_TRUNC, mode));
    RETURN_IF_ERROR(SetMode(fd, path, mode));
    return WriteAll(fd, path, bytes);
  }

  Status Sync(const std::string& path) override {
    ASSIGN_OR_RETURN(UniqueFd fd, Open("sync", path, O_RDONLY));
    return ::fsync(fd.get()) == 0 ? Status() : Failed("sync", path);
  }

  Status Rename(const std::string& from, const std::string& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? Status()
                                                   : Failed("rename " + from + " to", to);
  }

  Status Exchange(const std::string& a, const std::string& b) override {
    if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) {
      return {};
    }
    // EINVAL also for a directory that would end up in itself; nothing was changed then, either.
    if (errno == EINVAL || errno == ENOSYS) {
      return FileSystem::Exchange(a, b);
    }
    return Failed("exchange " + a + " with", b);
  }

  Status MakeDirectories(const std::string& path, uint32_t mode) override {
    for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      RETURN_IF_ERROR(MakeDirectory(path.substr(0, end), mode));
    }
    return MakeDirectory(path, mode);
  }

  Status Remove(const std::string& path) override {
    return std::remove(path.c_str()) == 0 ? Status() : Failed("remove", path);
  }

  // The library walks with openat and O_NOFOLLOW, so that a link put in its way is removed and not
  // followed.
  Status RemoveTree(const std::string& path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    return error ? Failed("remove tree", path, error.value()) : Status();
  }

  Result<Info> Stat(const std::string& path) override {
    struct stat own {};
    struct stat info {};
    if (::lstat(path.c_str(), &own) != 0 || ::stat(path.c_str(), &info) != 0) {
      return Failed("stat", path);
    }
    return Info{.is_directory = S_ISDIR(info.st_mode),
                .is_link = S_ISLNK(own.st_mode),
                .size = static_cast<uint64_t>(info.st_size),
                .modified = ToWallTime(info.st_mtim),
                .mode = info.st_mode & kModeBits};
  }

  Result<std::vector<std::string>> List(const std::string& path) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(path, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    if (error) {
      return Failed("list", path, error.value());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static Status MakeDirectory(const std::string& path, uint32_t mode) {
    if (::mkdir(path.c_str(), mode) == 0) {
      return {};
    }
    const int error = errno;
    struct stat info {};
    if (error == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      return {};
    }
    return Failed("make directory", path, error);
  }
};

}  // namespace

Status FileSystem::Exchange(const std::string& a, const std::string& b) {
  return UnsupportedError("exchange " + a + " with " + b + ": the file system cannot");
}

FileSystem& RealFileSystem() {
  static auto* files = new KernelFileSystem;
  return *files;
}

}  // namespace hearth
