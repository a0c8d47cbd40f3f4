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
constexpr size_t kBuffers = 4;
constexpr size_t kDirectUnit = 4096;  // what direct writes are a multiple of, on any disk

}  // namespace

void TarOutput::Unmap::operator()(char* bytes) const { ::munmap(bytes, kBufferBytes * kBuffers); }

Result<std::unique_ptr<TarOutput>> TarOutput::Create(int directory, const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::openat(directory, name.c_str(), kFlags, 0600));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "cannot make " + name);
  }
  void* memory = ::mmap(nullptr, kBufferBytes * kBuffers, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Status::FromErrno(errno, "no memory to write " + name);
  }
  return std::unique_ptr<TarOutput>(
      new TarOutput(std::move(fd), std::unique_ptr<char, Unmap>(static_cast<char*>(memory))));
}

TarOutput::TarOutput(UniqueFd fd, std::unique_ptr<char, Unmap> memory)
    : fd_(std::move(fd)), memory_(std::move(memory)) {
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
  // A file system that cannot is as good, only slower.
  const uint64_t begin = current_.offset + current_.filled;
  (void)::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                    static_cast<off_t>(bytes));
}

void TarOutput::HandOver() {
  if (!thread_.joinable()) {
    thread_ = std::jthread([this] { WriteHandedOver(); });
    ::pthread_setname_np(thread_.native_handle(), "files-writer");
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
  if (direct_ && aligned > 0 && ::fcntl(fd_.get(), F_SETFL, O_DIRECT) == 0) {
    if (WriteAll(buffer.bytes, aligned, buffer.offset).ok()) {
      done = aligned;
    } else {
      direct_ = false;  // what is wrong with more than the way is found below
    }
  }
  if (done == buffer.filled) {
    return Status::Ok();
  }
  (void)::fcntl(fd_.get(), F_SETFL, 0);
  return WriteAll(buffer.bytes + done, buffer.filled - done, buffer.offset + done);
}

Status TarOutput::WriteAll(const char* bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t written = ::pwrite(fd_.get(), bytes, size, static_cast<off_t>(offset));
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

Status TarOutput::Finish() {
  if (!thread_.joinable()) {
    direct_ = false;  // the page cache has it sooner, and a sync finds little to do
    return Write(current_);
  }
  HandOver();
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
    changed_.notify_all();
  }
  thread_.join();
  // What was expected and did not come gives its place back.
  const uint64_t end = current_.offset + current_.filled;
  if (failure_.ok() && ::ftruncate(fd_.get(), static_cast<off_t>(end)) != 0) {
    return Status::FromErrno(errno, "cannot end the archive");
  }
  return failure_;
}

}  // namespace hearth::agent::files
