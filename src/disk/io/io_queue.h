#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "disk/io/storage_file.h"

namespace hearth::disk::io {

struct IoRequest {
  bool write = false;
  StorageFile* file = nullptr;
  uint64_t offset = 0;
  void* data = nullptr;
  uint32_t bytes = 0;
  int buffer = -1;   // index of the registered buffer that `data` lies in
  uint64_t tag = 0;  // comes back
};

struct IoDone {
  uint64_t tag = 0;
  int64_t result = 0;  // bytes moved, or a negative errno
};

// Reads and writes in flight. Belongs to the thread that made it.
class IoQueue {
 public:
  virtual ~IoQueue() = default;
  // Makes I/O with these buffers cheaper, where that works.
  virtual void RegisterBuffers(std::span<const iovec> buffers) = 0;
  // At most as many as the queue is deep may be in flight.
  virtual void Submit(const IoRequest& request) = 0;
  // Sends what was submitted, and waits for one to be over. CHECKs that something is in flight.
  virtual IoDone Wait() = 0;
};

// kUnavailable where the kernel or a sandbox refuses io_uring.
Result<std::unique_ptr<IoQueue>> MakeRingQueue(unsigned depth);
// pread and pwrite, one after the other.
std::unique_ptr<IoQueue> MakeBlockingQueue();

}  // namespace hearth::disk::io
