#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hearth::gms::server {

// Descriptors on their way to one client: with which byte of all that was sent to it each went.
// What a client has fetched is not told but looked up, so that it may be known late.
class UnfetchedFds {
 public:
  void Sent(uint64_t first_byte, size_t fds) {
    count_ += fds;
    if (sent_.size() < kMostApart) {
      sent_.push_back({first_byte, fds});
    } else {
      // Together they count until the later one is fetched.
      sent_.back() = {first_byte, sent_.back().fds + fds};
    }
  }
  // The client has all bytes before this one.
  void FetchedUpTo(uint64_t byte) {
    size_t fetched = 0;
    while (fetched < sent_.size() && sent_[fetched].first_byte < byte) {
      count_ -= sent_[fetched++].fds;
    }
    sent_.erase(sent_.begin(), sent_.begin() + static_cast<ptrdiff_t>(fetched));
  }
  size_t count() const { return count_; }

 private:
  static constexpr size_t kMostApart = 64;
  struct Frame {
    uint64_t first_byte;
    size_t fds;
  };
  std::vector<Frame> sent_;
  size_t count_ = 0;
};

}  // namespace hearth::gms::server
