#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "disk/io/io_queue.h"
#include "disk/io/storage_file.h"

namespace hearth::agent::receive {

// One file in two ways: past the page cache, and through it.
struct Target {
  Target(UniqueFd direct_fd, UniqueFd cached_fd, const std::string& name)
      : direct(std::move(direct_fd), name), cached(std::move(cached_fd)) {
    direct.TryDirect();
  }
  disk::io::StorageFile direct;
  UniqueFd cached;
};

// Bytes of a buffer, from `begin` to before `end`; multiples of disk::io::kDirectAlignment.
struct Run {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct WriterOptions {
  size_t buffers = 64;
  size_t buffer_bytes = 1U << 20U;
  // How long to wait for buffers altogether, for each GiB that is written: what the kernel needs to
  // copy as much into the page cache.
  Duration patience = std::chrono::milliseconds(250);
  bool io_uring = true;
};

// Writes buffers to files past the page cache, many at a time, so that they are on the disk soon
// after they were filled. Whoever fills them is not kept waiting by a slow disk: when it has waited
// too long, what finds no free buffer goes through the page cache from then on. Has a thread of its
// own; used by one other.
class DirectWriter {
 public:
  explicit DirectWriter(const WriterOptions& options);
  ~DirectWriter();  // waits for what is in flight; drops the rest
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;

  // A buffer to fill. At most one is out at a time. It comes back with Write.
  std::byte* Take();
  // The runs go to `target`, the buffer's first byte to `offset`; nothing else is touched. The
  // target must live until Drain, or as long as the writer. What fails is told there.
  void Write(Target& target, uint64_t offset, std::byte* buffer, const std::vector<Run>& runs);
  // Everything is written, though not synced, when it returns well; the first failure otherwise.
  Status Drain();
  // The first failure so far.
  Status status() const;

 private:
  struct Request {
    Target* target = nullptr;
    uint64_t offset = 0;
    std::byte* data = nullptr;
    uint32_t bytes = 0;
    size_t buffer = 0;
  };

  std::byte* Buffer(size_t index) const;
  bool AwaitBuffer(std::unique_lock<std::mutex>& lock);
  void WriteCached(const Target& target, uint64_t offset, const std::byte* buffer,
                   const std::vector<Run>& runs);

  // The thread's.
  void Run();
  bool TakeUp();
  void Submit(size_t tag);
  void Complete(const disk::io::IoDone& done);
  Result<bool> Advance(Request& request, int64_t result);
  void End(size_t tag, const Status& outcome);

  const WriterOptions options_;
  std::byte* memory_ = nullptr;
  std::unique_ptr<disk::io::IoQueue> queue_;  // the thread's, as are the next two
  std::vector<Request> requests_;
  std::vector<size_t> free_tags_;

  mutable std::mutex mutex_;
  std::condition_variable work_;   // for the thread
  std::condition_variable freed_;  // for the other
  std::vector<size_t> free_;       // the buffer that was used last is taken first: it is warm
  std::vector<size_t> left_;       // requests that each buffer still has
  std::deque<Request> pending_;
  size_t unfinished_ = 0;  // pending or in flight
  Status status_;
  bool closing_ = false;
  bool impatient_ = false;
  Duration waited_{};
  uint64_t taken_bytes_ = 0;
  std::jthread thread_;
};

}  // namespace hearth::agent::receive
