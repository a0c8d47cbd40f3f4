#pragma once

#include <cstddef>
#include <utility>

namespace hearth::gms::server {

// Memory for requests of which only a part has arrived, of all connections together. Small ones do
// not count: whoever fills the rest keeps nobody from an ordinary request. On the loop only;
// outlives the parts.
class UnfinishedRequests {
 public:
  // So much does not count; connections have a limit of their own.
  static constexpr size_t kSmall = 64U << 10;

  explicit UnfinishedRequests(size_t limit) : limit_(limit) {}
  UnfinishedRequests(const UnfinishedRequests&) = delete;
  UnfinishedRequests& operator=(const UnfinishedRequests&) = delete;

  // One connection's.
  class Part {
   public:
    explicit Part(UnfinishedRequests& all) : all_(all) {}
    ~Part() { Hold(0); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // So much from now on. False: it grew, and all together have too much now.
    bool Hold(size_t bytes) {
      const size_t counted = bytes > kSmall ? bytes : 0;
      const size_t before = std::exchange(bytes_, counted);
      all_.bytes_ += counted - before;
      return counted <= before || all_.bytes_ <= all_.limit_;
    }

   private:
    UnfinishedRequests& all_;
    size_t bytes_ = 0;
  };

  size_t bytes() const { return bytes_; }
  size_t limit() const { return limit_; }

 private:
  size_t limit_;
  size_t bytes_ = 0;
};

}  // namespace hearth::gms::server
