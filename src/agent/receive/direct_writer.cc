#include "agent/receive/direct_writer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "base/check.h"

namespace hearth::agent::receive {
namespace {

constexpr unsigned kDepth = 64;
constexpr uint64_t kGibibyte = 1ULL << 30U;

std::byte* MapBuffers(size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED) << "no address space for buffers";
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: fewer and larger pieces for the disk
  // A child would get copies of pages that the disk just reads.
  ::madvise(memory, bytes, MADV_DONTFORK);
  return static_cast<std::byte*>(memory);
}

Status WriteAll(int fd, const std::byte* data, uint64_t bytes, uint64_t offset,
                const std::string& name) {
  while (bytes > 0) {
    const ssize_t count = ::pwrite(fd, data, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return Status::FromErrno(count < 0 ? errno : ENOSPC, "write " + name);
    }
    data += count;
    bytes -= static_cast<uint64_t>(count);
    offset += static_cast<uint64_t>(count);
  }
  return Status::Ok();
}

}  // namespace

// One buffer more than there are: what goes through the page cache needs no waiting for.
DirectWriter::DirectWriter(const WriterOptions& options)
    : options_(options),
      memory_(MapBuffers((options.buffers + 1) * options.buffer_bytes)),
      requests_(kDepth),
      free_tags_(kDepth),
      free_(options.buffers),
      left_(options.buffers) {
  std::iota(free_tags_.begin(), free_tags_.end(), size_t{0});
  std::iota(free_.rbegin(), free_.rend(), size_t{0});
  thread_ = std::jthread([this] { Run(); });
}

DirectWriter::~DirectWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    unfinished_ -= pending_.size();
    pending_.clear();
  }
  work_.notify_one();
  thread_.join();
  ::munmap(memory_, (options_.buffers + 1) * options_.buffer_bytes);
}

std::byte* DirectWriter::Buffer(size_t index) const {
  return memory_ + index * options_.buffer_bytes;
}

std::byte* DirectWriter::Take() {
  std::unique_lock lock(mutex_);
  taken_bytes_ += options_.buffer_bytes;
  if (free_.empty() && (impatient_ || !AwaitBuffer(lock))) {
    impatient_ = true;
    return Buffer(options_.buffers);
  }
  const size_t index = free_.back();
  free_.pop_back();
  return Buffer(index);
}

bool DirectWriter::AwaitBuffer(std::unique_lock<std::mutex>& lock) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  const double gibibytes = static_cast<double>(taken_bytes_) / static_cast<double>(kGibibyte);
  const auto allowed = std::chrono::duration_cast<Duration>(options_.patience * gibibytes);
  const bool there =
      freed_.wait_until(lock, begin + allowed - waited_, [this] { return !free_.empty(); });
  waited_ += std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin);
  return there;
}

void DirectWriter::Write(Target& target, uint64_t offset, std::byte* buffer,
                         const std::vector<receive::Run>& runs) {
  const size_t index = static_cast<size_t>(buffer - memory_) / options_.buffer_bytes;
  if (index == options_.buffers) {
    WriteCached(target, offset, buffer, runs);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    left_[index] = runs.size();
    if (runs.empty()) {
      free_.push_back(index);
    }
    for (const receive::Run& run : runs) {
      pending_.push_back({.target = &target,
                          .offset = offset + run.begin,
                          .data = buffer + run.begin,
                          .bytes = run.end - run.begin,
                          .buffer = index});
    }
    unfinished_ += runs.size();
  }
  work_.notify_one();
}

void DirectWriter::WriteCached(const Target& target, uint64_t offset, const std::byte* buffer,
                               const std::vector<receive::Run>& runs) {
  for (const receive::Run& run : runs) {
    const Status written = WriteAll(target.cached.get(), buffer + run.begin, run.end - run.begin,
                                    offset + run.begin, target.direct.name());
    const std::lock_guard lock(mutex_);
    status_ = status_.ok() ? written : status_;
  }
}

Status DirectWriter::Drain() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return unfinished_ == 0; });
  return status_;
}

Status DirectWriter::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void DirectWriter::Run() {
  if (auto ring = disk::io::MakeRingQueue(kDepth); options_.io_uring && ring.ok()) {
    queue_ = std::move(*ring);
  } else {
    queue_ = disk::io::MakeBlockingQueue();
  }
  while (TakeUp()) {
    Complete(queue_->Wait());
  }
  queue_.reset();
}

// Begins what it can. True: something is in flight.
bool DirectWriter::TakeUp() {
  std::vector<size_t> begun;
  {
    std::unique_lock lock(mutex_);
    const bool idle = free_tags_.size() == kDepth;
    if (idle) {
      work_.wait(lock, [this] { return closing_ || !pending_.empty(); });
    }
    while (!pending_.empty() && !free_tags_.empty()) {
      begun.push_back(free_tags_.back());
      free_tags_.pop_back();
      requests_[begun.back()] = pending_.front();
      pending_.pop_front();
    }
  }
  for (const size_t tag : begun) {
    Submit(tag);
  }
  return free_tags_.size() < kDepth;
}

void DirectWriter::Submit(size_t tag) {
  const Request& request = requests_[tag];
  queue_->Submit({.write = true,
                  .file = &request.target->direct,
                  .offset = request.offset,
                  .data = request.data,
                  .bytes = request.bytes,
                  .tag = tag});
}

void DirectWriter::Complete(const disk::io::IoDone& done) {
  const auto goes_on = Advance(requests_[done.tag], done.result);
  if (goes_on.ok() && *goes_on) {
    Submit(done.tag);
    return;
  }
  End(done.tag, goes_on.status());
}

Result<bool> DirectWriter::Advance(Request& request, int64_t result) {
  disk::io::StorageFile& file = request.target->direct;
  if (result == -EINVAL && file.direct()) {
    file.GiveUpDirect();
    return true;
  }
  if (result == -EAGAIN || result == -EINTR) {
    return true;
  }
  if (result <= 0) {
    return Status::FromErrno(result < 0 ? static_cast<int>(-result) : ENOSPC,
                             fmt::format("write {}", file.name()));
  }
  const auto moved = static_cast<uint32_t>(result);
  request.offset += moved;
  request.data += moved;
  request.bytes -= moved;
  if (request.bytes > 0 && moved % disk::io::kDirectAlignment != 0) {
    file.GiveUpDirect();  // the rest does not begin where direct I/O may begin
  }
  return request.bytes > 0;
}

void DirectWriter::End(size_t tag, const Status& outcome) {
  {
    const std::lock_guard lock(mutex_);
    status_ = status_.ok() ? outcome : status_;
    const size_t buffer = requests_[tag].buffer;
    if (--left_[buffer] == 0) {
      free_.push_back(buffer);
    }
    --unfinished_;
    free_tags_.push_back(tag);
  }
  freed_.notify_one();
}

}  // namespace hearth::agent::receive
