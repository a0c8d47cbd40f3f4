#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/client/internal/waiter.h"

namespace hearth::gms::internal {

// Frames with descriptors over a connected stream socket: a length of four bytes, big-endian, then
// the payload. After a failure the stream is out of step and of no more use. One thread at a time.
class Channel {
 public:
  // Larger ones are refused before memory is taken for them.
  static constexpr uint32_t kMaxPayload = 256U << 20;
  static constexpr size_t kMaxFds = 253;  // what the kernel passes in one message

  Channel(UniqueFd socket, Waiter& waiter) : socket_(std::move(socket)), waiter_(waiter) {}

  // `frame` begins with its length.
  Status Send(std::string_view frame, SteadyTime deadline);

  struct Frame {
    std::string payload;
    std::vector<UniqueFd> fds;  // close-on-exec
  };
  // `more_may_follow`: another frame may stand behind this one; without, more bytes are an error.
  Result<Frame> Receive(bool more_may_follow, SteadyTime deadline);
  int fd() const { return socket_.get(); }

 private:
  struct Read {
    size_t bytes = 0;
    std::vector<UniqueFd> fds;
  };
  Result<Read> ReadSome(char* to, size_t size, SteadyTime deadline);
  Status ReadAll(char* to, size_t size, std::vector<UniqueFd>& fds, SteadyTime deadline);

  UniqueFd socket_;
  Waiter& waiter_;
};

}  // namespace hearth::gms::internal
