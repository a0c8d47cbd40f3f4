#include "disk/io/storage_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace hearth::disk::io {
namespace {

uint64_t NextId() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool Refused(int error) {
  return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == ENODEV;
}

// The flag can be changed on an open file, and every user of the descriptor sees it.
bool SetDirect(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

}  // namespace

StorageFile::StorageFile(UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), id_(NextId()) {}

void StorageFile::TryDirect() { direct_ = SetDirect(fd_.get(), true); }

void StorageFile::GiveUpDirect() {
  // In this order: whoever sees that it is not direct can rely on it.
  SetDirect(fd_.get(), false);
  direct_ = false;
}

Status StorageFile::Preallocate(uint64_t bytes) {
  if (::fallocate(fd_.get(), 0, 0, static_cast<off_t>(bytes)) == 0) {
    return {};
  }
  if (!Refused(errno)) {
    return Status::FromErrno(errno,
                             "make room for " + std::to_string(bytes) + " bytes in " + name_);
  }
  return SetLength(bytes);
}

Status StorageFile::MakeRoom(uint64_t offset, uint64_t bytes) {
  if (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) == 0 ||
      Refused(errno)) {
    return {};
  }
  return Status::FromErrno(errno, "make room for " + std::to_string(bytes) + " bytes in " + name_);
}

Status StorageFile::SetLength(uint64_t bytes) {
  return ::ftruncate(fd_.get(), static_cast<off_t>(bytes)) == 0
             ? Status()
             : Status::FromErrno(errno, "set the length of " + name_);
}

Status StorageFile::Punch(uint64_t offset, uint64_t bytes) {
  if (::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) == 0 ||
      Refused(errno)) {
    return {};
  }
  return Status::FromErrno(errno, "make a hole in " + name_);
}

Status StorageFile::Sync() {
  return ::fdatasync(fd_.get()) == 0 ? Status() : Status::FromErrno(errno, "sync " + name_);
}

Result<uint64_t> StorageFile::StoredBytes() const {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) {
    return Status::FromErrno(errno, "look at " + name_);
  }
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

}  // namespace hearth::disk::io
