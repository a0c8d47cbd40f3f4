#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {

// A new file of mode 0600 that is written front to back at the speed of the disk: whoever has bytes
// puts them where they will be written from, and two threads write what is full past the page cache
// meanwhile. Small files need none. For one thread at a time; ends its own in the destructor.
class TarOutput {
 public:
  static Result<std::unique_ptr<TarOutput>> Create(int directory, const std::string& name);
  ~TarOutput();
  TarOutput(const TarOutput&) = delete;
  TarOutput& operator=(const TarOutput&) = delete;

  // Room for the next bytes, never none. The error is of an earlier write.
  Result<std::span<char>> Room();
  // So many bytes of that room were filled.
  void Filled(size_t bytes);
  Status Append(std::string_view bytes);
  Status AppendZeros(uint64_t bytes);
  // So much will come at least: the disk finds a place for it now.
  void Expect(uint64_t bytes);
  // Writes the rest. Does not sync.
  Status Finish();

 private:
  struct Buffer {
    char* bytes = nullptr;
    size_t filled = 0;
    uint64_t offset = 0;
  };
  struct Unmap {
    void operator()(char* bytes) const;
  };
  TarOutput(UniqueFd file, UniqueFd direct, std::unique_ptr<char, Unmap> memory);

  void HandOver();         // what is filled goes to the threads
  Status TakeBuffer();     // waits for one that is free
  void WriteHandedOver();  // a thread
  Status Write(const Buffer& buffer);

  UniqueFd file_;
  UniqueFd direct_;                      // the same past the page cache, where the file system can
  std::unique_ptr<char, Unmap> memory_;  // all buffers
  Buffer current_;
  std::atomic<bool> use_direct_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char*> free_;
  std::deque<Buffer> full_;
  Status failure_;
  bool no_more_ = false;
  std::vector<std::jthread> writers_;  // last: end first
};

}  // namespace hearth::agent::files
