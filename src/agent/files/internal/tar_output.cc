#include "agent/files/internal/tar_output.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hearth::agent::files {
namespace {

constexpr size_t kBufferBytes = size_t{2} << 20;
constexpr size_t kBuffers = 5;
constexpr size_t kWriters = 2;        // so that the disk always has something to do
constexpr size_t kDirectUnit = 4096;  // what direct writes are a multiple of, on any disk

Status WriteAll(int fd, const char* bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t written = ::pwrite(fd, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return Status::FromErrno(written < 0 ? errno : EIO, "cannot write the archive");
    }
    bytes += written;
    size -= static_cast<size_t>(written);
    offset += static_cast<uint64_t>(written);
  }
  return Status::Ok();
}

}  // namespace

void TarOutput::Unmap::operator()(char* bytes) const { ::munmap(bytes, kBufferBytes * kBuffers); }

Result<std::unique_ptr<TarOutput>> TarOutput::Create(int directory, const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd file(::openat(directory, name.c_str(), kFlags, 0600));
  if (!file.valid()) {
    return Status::FromErrno(errno, "cannot make " + name);
  }
  constexpr int kDirectFlags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_DIRECT;
  UniqueFd direct(::openat(directory, name.c_str(), kDirectFlags));
  void* memory = ::mmap(nullptr, kBufferBytes * kBuffers, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Status::FromErrno(errno, "no memory to write " + name);
  }
  return std::unique_ptr<TarOutput>(
      new TarOutput(std::move(file), std::move(direct),
                    std::unique_ptr<char, Unmap>(static_cast<char*>(memory))));
}

TarOutput::TarOutput(UniqueFd file, UniqueFd direct, std::unique_ptr<char, Unmap> memory)
    : file_(std::move(file)),
      direct_(std::move(direct)),
      memory_(std::move(memory)),
      use_direct_(direct_.valid()) {
  for (size_t i = 1; i < kBuffers; ++i) {
    free_.push_back(memory_.get() + i * kBufferBytes);
  }
  current_.bytes = memory_.get();
}

TarOutput::~TarOutput() {
  const std::lock_guard lock(mutex_);
  full_.clear();
  no_more_ = true;
  changed_.notify_all();
}

Result<std::span<char>> TarOutput::Room() {
  if (current_.filled == kBufferBytes) {
    HandOver();
    RETURN_IF_ERROR(TakeBuffer());
  }
  return std::span<char>(current_.bytes + current_.filled, kBufferBytes - current_.filled);
}

void TarOutput::Filled(size_t bytes) { current_.filled += bytes; }

Status TarOutput::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const std::span<char> room, Room());
    const size_t part = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), part);
    Filled(part);
    bytes.remove_prefix(part);
  }
  return Status::Ok();
}

Status TarOutput::AppendZeros(uint64_t bytes) {
  while (bytes > 0) {
    ASSIGN_OR_RETURN(const std::span<char> room, Room());
    const size_t part = std::min<uint64_t>(room.size(), bytes);
    std::memset(room.data(), 0, part);
    Filled(part);
    bytes -= part;
  }
  return Status::Ok();
}

void TarOutput::Expect(uint64_t bytes) {
  // A file that grows with every write is written one write at a time. A file system that cannot
  // do this is as good, only slower.
  const uint64_t begin = current_.offset + current_.filled;
  (void)::fallocate(file_.get(), 0, static_cast<off_t>(begin), static_cast<off_t>(bytes));
}

void TarOutput::HandOver() {
  while (writers_.size() < kWriters) {
    writers_.emplace_back([this] { WriteHandedOver(); });
    ::pthread_setname_np(writers_.back().native_handle(), "files-writer");
  }
  const std::lock_guard lock(mutex_);
  full_.push_back(current_);
  changed_.notify_all();
}

Status TarOutput::TakeBuffer() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !free_.empty() || !failure_.ok(); });
  RETURN_IF_ERROR(failure_);
  current_ = {.bytes = free_.back(), .filled = 0, .offset = current_.offset + current_.filled};
  free_.pop_back();
  return Status::Ok();
}

void TarOutput::WriteHandedOver() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !full_.empty() || no_more_; });
    if (full_.empty()) {
      return;
    }
    const Buffer buffer = full_.front();
    full_.pop_front();
    lock.unlock();
    Status written = Write(buffer);
    lock.lock();
    if (failure_.ok()) {
      failure_ = std::move(written);
    }
    free_.push_back(buffer.bytes);
    changed_.notify_all();
  }
}

Status TarOutput::Write(const Buffer& buffer) {
  const size_t aligned = buffer.filled / kDirectUnit * kDirectUnit;
  size_t done = 0;
  if (use_direct_ && aligned > 0) {
    if (WriteAll(direct_.get(), buffer.bytes, aligned, buffer.offset).ok()) {
      done = aligned;
    } else {
      use_direct_ = false;  // what is wrong with more than the way is found below
    }
  }
  return WriteAll(file_.get(), buffer.bytes + done, buffer.filled - done, buffer.offset + done);
}

Status TarOutput::Finish() {
  if (writers_.empty()) {
    use_direct_ = false;  // the page cache has it sooner, and a sync finds little to do
    return Write(current_);
  }
  HandOver();
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
    changed_.notify_all();
  }
  writers_.clear();
  // What was expected and did not come gives its place back.
  const uint64_t end = current_.offset + current_.filled;
  if (failure_.ok() && ::ftruncate(file_.get(), static_cast<off_t>(end)) != 0) {
    return Status::FromErrno(errno, "cannot end the archive");
  }
  return failure_;
}

}  // namespace hearth::agent::files
