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

#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/artifact/contents.h"

namespace hearth::agent::receive {

// A file of chunks that are compressed one by one. Thread-safe.
class PackedFile {
 public:
  PackedFile(UniqueFd fd, const std::string& name);

  // The number of the chunk that comes next.
  uint64_t Announce() { return announced_++; }
  struct Packed {
    std::string_view bytes;     // what goes into the file; none: nothing but zeros
    uint64_t plain_bytes = 0;   // what it stands for
    uint32_t packed_bytes = 0;  // of `bytes`; the rest is there to fill up
  };
  // Each number once, by different threads: its place is behind those before it, for which it
  // waits.
  Status Append(uint64_t number, const Packed& chunk);

  int fd() const { return fd_.get(); }
  // After the last one.
  snapshot::StoredFile Take();

 private:
  UniqueFd fd_;
  uint64_t announced_ = 0;  // of whoever announces
  std::mutex mutex_;
  std::condition_variable placed_changed_;
  uint64_t placed_ = 0;
  snapshot::StoredFile file_;
};

// Compresses chunks with several threads and appends them to their files. Used by one other thread,
// which it keeps waiting while all buffers are full.
class ChunkPacker {
 public:
  explicit ChunkPacker(size_t threads);
  ~ChunkPacker();  // drops what has not begun
  ChunkPacker(const ChunkPacker&) = delete;
  ChunkPacker& operator=(const ChunkPacker&) = delete;

  // A buffer for a chunk. It comes back with Pack.
  std::byte* Take();
  // The file must live until Drain, or as long as the packer.
  void Pack(PackedFile& file, std::byte* chunk, uint64_t bytes);
  // Everything is written when it returns well; the first failure otherwise.
  Status Drain();
  // The first failure so far.
  Status status() const;

 private:
  struct Job {
    PackedFile* file = nullptr;
    uint64_t number = 0;
    std::byte* chunk = nullptr;
    uint64_t bytes = 0;
  };
  void Run();

  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  mutable std::mutex mutex_;
  std::condition_variable work_;   // for the threads
  std::condition_variable freed_;  // for the other
  std::vector<std::byte*> free_;
  std::deque<Job> pending_;
  size_t unfinished_ = 0;  // pending or under way
  Status status_;
  bool closing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace hearth::agent::receive
