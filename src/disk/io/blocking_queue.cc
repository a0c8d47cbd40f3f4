#include <unistd.h>

#include <cerrno>
#include <deque>

#include "base/check.h"
#include "disk/io/io_queue.h"

namespace hearth::disk::io {
namespace {

class BlockingQueue : public IoQueue {
 public:
  void RegisterBuffers(std::span<const iovec> /*buffers*/) override {}
  void Submit(const IoRequest& request) override { waiting_.push_back(request); }

  IoDone Wait() override {
    CHECK(!waiting_.empty());
    const IoRequest r = waiting_.front();
    waiting_.pop_front();
    const auto offset = static_cast<off_t>(r.offset);
    ssize_t moved = 0;
    do {
      moved = r.write ? ::pwrite(r.file->fd(), r.data, r.bytes, offset)
                      : ::pread(r.file->fd(), r.data, r.bytes, offset);
    } while (moved < 0 && errno == EINTR);
    return {.tag = r.tag, .result = moved < 0 ? -errno : moved};
  }

 private:
  std::deque<IoRequest> waiting_;
};

}  // namespace

std::unique_ptr<IoQueue> MakeBlockingQueue() { return std::make_unique<BlockingQueue>(); }

}  // namespace hearth::disk::io
