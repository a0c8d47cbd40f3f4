#include <liburing.h>

#include <cerrno>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "disk/io/io_queue.h"

namespace hearth::disk::io {
namespace {

constexpr unsigned kFileSlots = 1024;

class RingQueue : public IoQueue {
 public:
  explicit RingQueue(unsigned depth) : depth_(depth) {}
  ~RingQueue() override {
    if (open_) {
      io_uring_queue_exit(&ring_);
    }
  }

  Status Open() {
    // Completions are run when we wait and by nobody else: no interrupts of the digest loop.
    int error = io_uring_queue_init(depth_, &ring_,
                                    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
    if (error == -EINVAL) {  // before Linux 6.1
      error = io_uring_queue_init(depth_, &ring_, 0);
    }
    if (error < 0) {
      return Status(Code::kUnavailable, Status::FromErrno(-error, "set up io_uring").ToString());
    }
    open_ = true;
    files_registered_ = io_uring_register_files_sparse(&ring_, kFileSlots) == 0;
    return {};
  }

  void RegisterBuffers(std::span<const iovec> buffers) override {
    // Refused when locked memory is limited; I/O works without.
    buffers_registered_ = io_uring_register_buffers(&ring_, buffers.data(),
                                                    static_cast<unsigned>(buffers.size())) == 0;
  }

  void Submit(const IoRequest& request) override {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) {
      Flush();
      entry = io_uring_get_sqe(&ring_);
    }
    CHECK(entry != nullptr) << "more requests than the queue is deep";
    Prepare(entry, request);
    UseRegisteredFile(entry, *request.file);
    entry->user_data = request.tag;
    ++in_flight_;
    if (request.write) {
      Flush();  // the next chunk takes the processor a while; the disk need not wait for it
    }
  }

  IoDone Wait() override {
    CHECK(in_flight_ > 0);
    io_uring_cqe* entry = nullptr;
    if (io_uring_peek_cqe(&ring_, &entry) == 0) {
      Flush();
    }
    while (entry == nullptr) {
      const int error = io_uring_submit_and_wait(&ring_, 1);
      CHECK(error >= 0 || error == -EINTR || error == -EAGAIN || error == -EBUSY)
          << "io_uring_enter: " << error;
      io_uring_peek_cqe(&ring_, &entry);
    }
    const IoDone done{.tag = entry->user_data, .result = entry->res};
    io_uring_cqe_seen(&ring_, entry);
    --in_flight_;
    return done;
  }

 private:
  void Flush() { io_uring_submit(&ring_); }

  void Prepare(io_uring_sqe* entry, const IoRequest& r) const {
    const bool fixed = buffers_registered_ && r.buffer >= 0;
    if (r.write && fixed) {
      io_uring_prep_write_fixed(entry, r.file->fd(), r.data, r.bytes, r.offset, r.buffer);
    } else if (r.write) {
      io_uring_prep_write(entry, r.file->fd(), r.data, r.bytes, r.offset);
    } else if (fixed) {
      io_uring_prep_read_fixed(entry, r.file->fd(), r.data, r.bytes, r.offset, r.buffer);
    } else {
      io_uring_prep_read(entry, r.file->fd(), r.data, r.bytes, r.offset);
    }
  }

  void UseRegisteredFile(io_uring_sqe* entry, const StorageFile& file) {
    const int slot = SlotOf(file);
    if (slot >= 0) {
      entry->fd = slot;
      entry->flags |= IOSQE_FIXED_FILE;
    }
  }

  // By the file's own id: a descriptor's number is used again.
  int SlotOf(const StorageFile& file) {
    const auto known = slots_.find(file.id());
    if (known != slots_.end()) {
      return known->second;
    }
    if (!files_registered_ || slots_.size() >= kFileSlots) {
      return -1;
    }
    const int slot = static_cast<int>(slots_.size());
    const int fd = file.fd();
    if (io_uring_register_files_update(&ring_, static_cast<unsigned>(slot), &fd, 1) != 1) {
      files_registered_ = false;
      return -1;
    }
    slots_.emplace(file.id(), slot);
    return slot;
  }

  unsigned depth_;
  io_uring ring_{};
  bool open_ = false;
  bool files_registered_ = false;
  bool buffers_registered_ = false;
  unsigned in_flight_ = 0;
  std::unordered_map<uint64_t, int> slots_;
};

}  // namespace

Result<std::unique_ptr<IoQueue>> MakeRingQueue(unsigned depth) {
  auto queue = std::make_unique<RingQueue>(depth);
  RETURN_IF_ERROR(queue->Open());
  return std::unique_ptr<IoQueue>(std::move(queue));
}

}  // namespace hearth::disk::io
