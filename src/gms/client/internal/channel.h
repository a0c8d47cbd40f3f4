#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/client/internal/waiter.h"
#include "gms/protocol/codec.h"
#include "gms/protocol/frame.h"
#include "gms/protocol/limits.h"

namespace hearth::gms::internal {

// Frames and descriptors over a connected socket, waiting with the connection's waiter. After a
// failure the stream is out of step and of no more use. One thread at a time.
class Channel {
 public:
  Channel(UniqueFd socket, Waiter& waiter) : socket_(std::move(socket)), waiter_(waiter) {}

  // `frame` begins with its length.
  Status Send(std::string_view frame, SteadyTime deadline);
  // The next message; valid until the next call. Its descriptors stand behind those not yet taken.
  Result<Document> Receive(SteadyTime deadline);
  // Ok once Receive would find a message or a failure; nothing is lost when it is not.
  Status AwaitMessage(SteadyTime deadline);
  // The next `count` descriptors. kDataLoss when fewer have come.
  Result<std::vector<UniqueFd>> TakeFds(size_t count);
  size_t fds_waiting() const { return fds_.size(); }

 private:
  Status Fill(SteadyTime deadline);

  UniqueFd socket_;
  Waiter& waiter_;
  std::optional<std::string_view> waiting_;  // a payload that AwaitMessage found
  FrameReader reader_{kMaxResponseBytes};
  std::deque<UniqueFd> fds_;
};

}  // namespace hearth::gms::internal
